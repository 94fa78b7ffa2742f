import type { LifeOperation, Offers } from '@contract/life/offers'

/** An operation as a word or two. */
export const operationName = (operation: LifeOperation): string =>
  operation === 'delete-many' ? 'delete several' : operation.replace('-', ' ')

/** What a service offers, and how that is known, in sentences. */
export function offersText({ operations, from, byHand, missing }: Offers): string {
  const names = (some: readonly LifeOperation[]): string => some.map(operationName).join(', ')
  const known = from === 'document' ? 'as its own document says' : 'as far as requests that only read show'
  return [
    `This service offers: list, create${operations.length > 0 ? ', ' : ''}${names(operations)} (${known}).`,
    byHand.length > 0 ? `Switched on by you: ${names(byHand)}.` : '',
    ...missing.map(({ operation, reason }) => `Not ${operationName(operation)}, in spite of that: ${reason}`),
  ]
    .filter(Boolean)
    .join(' ')
}
