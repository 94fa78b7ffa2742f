/** Limits of requests. Clients find them in the OpenAPI document. */
export const limits = {
  /** Bytes of a body: 1 MiB. */
  bodyBytes: 1024 * 1024,
  /** Bytes of an address with all headers: 32 KiB, enough for the identifiers of eight large pages. */
  headerBytes: 32 * 1024,
  /** How long a client may take to send the headers of a request, and all of it, in milliseconds. */
  headersMs: 30_000,
  requestMs: 900_000,
  /** Bytes of an archive: 200 MiB, as much as public clients send. */
  archiveBytes: 200 * 1024 * 1024,
  /** How long the address for uploading an archive is valid, in milliseconds. */
  ticketMs: 900_000,
  /** Levels of arrays and objects in a body: far more than any field needs. */
  levels: 100,
  /** Items of all arrays in a body together. More could cause more findings than the stack holds. */
  items: 5_000,
  /** Findings in a 422. Further ones are omitted. */
  findings: 100,
  /** Deployments that one request may delete. */
  deletions: 100,
  /** Revisions of a deployment that are queued or rolling out. */
  pendingRevisions: 100,
} as const
