import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/built/**"],
          testTimeout: 20_000,
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
