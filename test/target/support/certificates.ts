import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const OPENSSL = "openssl";

export interface SelfSigned {
  readonly key: string;
  readonly cert: string;
  readonly certFile: string;
}

/** Whether certificates can be made here; tests of TLS are skipped where they cannot. */
export const hasOpenssl: boolean = ((): boolean => {
  try {
    execFileSync(OPENSSL, ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

/** A self-signed certificate that lives as long as the test. */
export function makeCertificate(altName: string): SelfSigned {
  const folder = mkdtempSync(join(tmpdir(), "joulemark-tls-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [keyFile, certFile] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const what = ["-subj", "/CN=joulemark-test", "-addext", `subjectAltName=${altName}`];
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const files = ["-keyout", keyFile, "-out", certFile];
  execFileSync(OPENSSL, ["req", "-x509", ...key, ...files, "-days", "2", ...what], {
    stdio: "ignore",
  });
  return { key: readFileSync(keyFile, "utf8"), cert: readFileSync(certFile, "utf8"), certFile };
}
