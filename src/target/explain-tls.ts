const TRUST_IT =
  "if it is the right server, trust its certificate with --ca-file FILE, or skip the check in this run with --insecure (which the record says)";

const WHY_BY_CODE: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: `the server's certificate is self-signed; ${TRUST_IT}`,
  SELF_SIGNED_CERT_IN_CHAIN: `the server's certificate is signed by an authority that is not known here; ${TRUST_IT}`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `the server does not send who signed its certificate; ${TRUST_IT}`,
  UNABLE_TO_GET_ISSUER_CERT: `who signed the server's certificate is not known here; ${TRUST_IT}`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `who signed the server's certificate is not known here; ${TRUST_IT}`,
  CERT_HAS_EXPIRED:
    "the server's certificate has expired; renew it, or skip the check in this run with --insecure",
  CERT_NOT_YET_VALID:
    "the server's certificate is not valid yet; is the clock of this machine right?",
  CERT_SIGNATURE_FAILURE: `the server's certificate is not signed by whom --ca-file names; ${TRUST_IT}`,
  ERR_TLS_CERT_ALTNAME_INVALID:
    "the server's certificate is for another name; give the name that it is for in --target",
  ERR_SSL_WRONG_VERSION_NUMBER: "what answers there does not speak TLS; give http:// instead",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "what answers there does not speak TLS; give http:// instead",
};

/**
 * Says what an error of TLS means and what helps.
 *
 * @returns `undefined` where the error is not one of TLS.
 */
export function explainTls(code: string, text: string): string | undefined {
  const known = code === "EPROTO" ? codeIn(text) : code;
  const why = WHY_BY_CODE[known];
  if (why !== undefined) return `${why} (${known})`;
  const isTls = /^(?:ERR_TLS|ERR_SSL|ERR_OSSL|CERT_|UNABLE_TO_|CRL_|EPROTO|INVALID_CA)/.test(known);
  return isTls ? `TLS failed (${known})` : undefined;
}

/** EPROTO says what happened in its text alone: `…:SSL routines:…:wrong version number:…`. */
function codeIn(text: string): string {
  const [, said] = /SSL routines:[^:]*:([a-z\d ]+)/i.exec(text) ?? [];
  return said === undefined
    ? "EPROTO"
    : `ERR_SSL_${said.trim().toUpperCase().replaceAll(" ", "_")}`;
}
