/** An action that was carried out or refused, and who requested it. It contains no secrets. */
export interface AuditEntry {
  /** When (ISO 8601). */
  at: string
  /** The identifier of the request, as in its answer and the log; null for a command. */
  request_id: string | null
  /** The name of the key. If there is no named key, a description that contains a space. */
  by: string
  tenant_id: string | null
  /** `create`, `keys add`, `keys revoke`, `repositories import`, or a method and a path. */
  action: string
  /** The name of the deployment or the key, and the identifier of the deployment or integration, as far as known. */
  name: string | null
  id: string | null
  /**
   * `done`, or `refused` or `failed` with the status of the answer; then how often, if it stands for several requests.
   */
  outcome: string
}
