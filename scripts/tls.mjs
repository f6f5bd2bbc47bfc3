// A self-signed certificate for loopback, for tests with the production cookies.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { runOrThrow } from "./processes.mjs";

const VALID_DAYS = 2;

/** `{ certificate, privateKey }` as PEM, for localhost, its subdomains, the loopback addresses and further names. */
export async function selfSignedCertificate(hosts = []) {
  const folder = mkdtempSync(path.join(tmpdir(), "anteroom-tls-"));
  const [key, certificate] = ["key.pem", "certificate.pem"].map((name) => path.join(folder, name));
  const names = ["localhost", "*.localhost", ...hosts].map((host) => `DNS:${host}`);
  const addresses = ["IP:127.0.0.1", "IP:0:0:0:0:0:0:0:1"];
  try {
    await runOrThrow("openssl", [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
      ...["-keyout", key, "-out", certificate, "-days", String(VALID_DAYS)],
      // It signs nothing but itself: some take no certificate of an authority for a server's.
      ...["-addext", "basicConstraints=critical,CA:FALSE"],
      ...["-subj", "/CN=localhost", "-addext", `subjectAltName=${[...names, ...addresses].join(",")}`],
    ]);
    return { certificate: readFileSync(certificate, "utf8"), privateKey: readFileSync(key, "utf8") };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
