/** What a key allows: only reading, or everything. */
export const roles = ['read', 'create'] as const

export type Role = (typeof roles)[number]
