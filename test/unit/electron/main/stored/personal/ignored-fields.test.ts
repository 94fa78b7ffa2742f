import { bytesIn, openPersonalIn } from '../../../../../support/main/state'
import { succeed } from '@contract'
import { comparisonLimits } from '@contract/app/personal'
import { beforeEach, expect, it } from 'vitest'
import { createIgnoredFields } from '../../../../../../electron/main/stored/personal/ignored-fields'
import { temporaryFolder } from '../../../../../support/temporary-folder'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

const start = () => createIgnoredFields(openPersonalIn(folder))
const field = (key: string) => ({ key, label: `Label of ${key}` })

it('survive a restart, each once, in an encrypted file', async () => {
  const first = start()
  for (const key of ['name', 'secrets["KEY"]', 'name']) await first.set(field(key), true)
  const fields = [field('secrets["KEY"]'), field('name')]
  expect(await start().list()).toEqual(succeed(fields))
  expect(bytesIn(folder)).not.toContain('KEY')
  expect(await start().set(field('name'), false)).toEqual(succeed([fields[0]]))
  expect(await start().list()).toEqual(succeed([fields[0]]))
})

it('are limited in number', async () => {
  const ignored = start()
  for (let index = 0; index < comparisonLimits.ignored; index += 1)
    await ignored.set(field(`f${index}`), true)
  expect(await ignored.set(field('more'), true)).toMatchObject({
    ok: false,
    failure: { code: 'invalid-input' },
  })
  expect((await ignored.list()).ok).toBe(true)
})
