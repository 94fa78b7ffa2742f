import { randomUUID } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { readDeployment } from '../../../../../../electron/service/routes/parts/read-deployment'
import type { FoundDeployment, Store } from '../../../../../../electron/service/database/store'

it('one deployment is read with one statement, unless it is too large or missing', async () => {
  const target = { id: randomUUID(), tenantId: randomUUID() }
  const found: FoundDeployment = { sequence: 1, bytes: 12, document: '{"id":"one"}', place: 1 }
  const find = vi.fn((): FoundDeployment[] => [found])
  const documents = vi.fn(() => ['{"id":"large"}'])
  const store = { deployments: { find, documents } } as unknown as Store
  const read = () => readDeployment(store, target, new Date().toISOString())
  expect(await read()).toEqual({ id: 'one' })
  expect(documents).not.toHaveBeenCalled()
  find.mockReturnValueOnce([])
  expect(await read()).toBeNull()
  expect(documents).not.toHaveBeenCalled()
  find.mockReturnValueOnce([{ ...found, document: null }])
  expect(await read()).toEqual({ id: 'large' })
})
