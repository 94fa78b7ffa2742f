import type { LifeOperation } from '@contract/life/offers'
import { operationOf } from '@contract/life/rules'

/** What can be done with several deployments at once, and how many they may be. */
export const manyTitles = { delete: 'Delete', redeploy: 'Redeploy', 'set-image': 'Set image' } as const
export const mostAtOnce = 100

export type ManyKind = keyof typeof manyTitles

/** Those that a service offers. */
export const offeredMany = (operations: readonly LifeOperation[]): ManyKind[] =>
  (Object.keys(manyTitles) as ManyKind[]).filter((kind) =>
    operations.includes(operationOf(kind === 'set-image' ? 'revision' : kind, operations)),
  )
