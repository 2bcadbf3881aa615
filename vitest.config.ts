import { defineConfig, type ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = defineConfig({
  test: {
    // Most tests wait for children; two cores serve three of them.
    maxWorkers: 3,
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/built/**"],
          globalSetup: ["test/support/build-dist.ts"],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: "built",
          include: ["test/built/**/*.test.ts"],
          globalSetup: ["test/support/build-dist.ts"],
          testTimeout: 60_000,
        },
      },
    ],
  },
});

export default config;
