import type { Environment } from '@contract'

/** The key of an environment's row, among those of all tables of the Overview. */
export const environmentRowKey = ({ id }: Pick<Environment, 'id'>): string => `environment ${id}`
