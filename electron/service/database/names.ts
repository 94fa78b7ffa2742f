/**
 * The unique form of a name, which differs for each tenant. For the tenant of the installation, which is null, it is
 * the name alone, as in databases of before other tenants. No name contains a line break.
 */
export function uniqueName(tenantId: string | null, name: string): string {
  return tenantId === null ? name : `${tenantId}\n${name}`
}
