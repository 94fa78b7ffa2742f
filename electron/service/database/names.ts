/**
 * What is unique of a name: each tenant has its own. The tenant of the installation, which is null, has the names alone,
 * as databases did before there were others. No name has a line break.
 */
export function uniqueName(tenantId: string | null, name: string): string {
  return tenantId === null ? name : `${tenantId}\n${name}`
}
