import { randomBytes, randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { checkTicket, signTicket } from '../../../../../electron/service/archives/tickets'

const place = { tenantId: randomUUID(), deploymentId: randomUUID(), archiveId: randomUUID() }
const key = randomBytes(32)
const expires = 1_000_000

it('is valid until it expires, for one archive, by one key', () => {
  const ticket = signTicket(key, place, expires)
  expect(checkTicket(key, place, ticket, expires - 1)).toBe('right')
  expect(checkTicket(key, place, ticket, expires)).toBe('expired')
  expect(checkTicket(randomBytes(32), place, ticket, 0)).toBe('wrong')
  for (const member of ['tenantId', 'deploymentId', 'archiveId'] as const) {
    expect(checkTicket(key, { ...place, [member]: randomUUID() }, ticket, 0)).toBe('wrong')
  }
  expect(checkTicket(key, place, { ...ticket, expires: expires + 1 }, 0)).toBe('wrong')
  for (const signature of ['', 'x', `${ticket.signature}A`, ticket.signature.slice(1)]) {
    expect(checkTicket(key, place, { ...ticket, signature }, 0)).toBe('wrong')
  }
})
