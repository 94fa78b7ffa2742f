import { tableKeys } from '@contract/app/shortcuts'
import { expect, it } from 'vitest'
import { rowSteps } from '@/components/table/use-row-keys'
import { pressedShortcut } from '@/domain/commands/pressed-shortcut'

it('lists every key that moves through the rows of tables', () => {
  const bare = { code: '', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false }
  const used = Object.keys(rowSteps).map((key) => pressedShortcut({ key, ...bare }, false))
  expect(tableKeys.flatMap(({ keys }) => keys).sort()).toEqual(used.sort())
})
