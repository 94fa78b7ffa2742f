/** Something that was done or refused, and who asked for it. It has nothing that is secret. */
export interface AuditEntry {
  /** When (ISO 8601). */
  at: string
  /** The request's, as its answer and the log have it; null for a command. */
  requestId: string | null
  /** The name of the key; with a blank in it, what there was in place of a named key. */
  by: string
  tenantId: string | null
  /** `create`, `keys add`, `keys revoke`, `repositories import`, or a method and a path. */
  action: string
  /** The name of the deployment or the key, and the identifier of the deployment or integration, as far as known. */
  name: string | null
  id: string | null
  /** `done`, or `refused` or `failed` with the status of the answer; then how often, if it is about several requests. */
  outcome: string
}
