/** What a key lets its holder do: only read, or everything. */
export const roles = ['read', 'create'] as const

export type Role = (typeof roles)[number]
