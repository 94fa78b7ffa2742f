import { expect, it } from 'vitest'
import { type Files } from '../../../../../electron/main/files'
import { draft, open, valueOf } from '../../../../support/main/environments'

async function withThree(files?: Files) {
  const opened = open({ files })
  const ids: string[] = []
  for (const name of ['One', 'Two', 'Three'])
    ids.push(valueOf(await opened.environments.save(draft({ name }))).id)
  const names = (environments = opened.environments): string[] =>
    environments.state().environments.map(({ name }) => name)
  return { ...opened, ids, names }
}

it('is what the operator chose, after the built-in ones, even after a restart and an edit', async () => {
  const { environments, keychain, folder, ids, names } = await withThree()
  const [one, two, three] = ids
  valueOf(await environments.reorder([three!, one!, two!]))
  const order = ['Sandbox (cloud)', 'Sandbox (self-hosted)', 'Three', 'One', 'Two']
  expect(names()).toEqual(order)
  valueOf(await environments.save(draft({ id: one!, name: 'One', colour: 'teal' })))
  expect(names()).toEqual(order)

  await environments.close()
  const next = open({ keychain, userDataFolder: folder }).environments
  expect(names(next)).toEqual(order)
  await next.load()
  expect(names(next)).toEqual(order)
})

it('loses no environment, whatever identifiers it is given', async () => {
  const { environments, ids, names } = await withThree()
  valueOf(await environments.reorder(['gone', ids[2]!, ids[2]!, 'built-in-cloud']))
  expect(names().slice(2)).toEqual(['Three', 'One', 'Two'])
})
