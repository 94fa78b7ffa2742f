import type { BoardDeployment } from '@contract/ipc/calls/board'
import { describe, expect, it } from 'vitest'
import { cellActions } from '@/screens/board/cell-actions'

const deployment = (id: string, byHand = false): BoardDeployment =>
  ({ id, name: `agent ${id}`, byHand }) as BoardDeployment

describe('cellActions', () => {
  it('names no deployment but the one to open, if a cell has one only', () => {
    const actions = cellActions([deployment('a')], () => false)
    expect(actions.map(({ kind, label }) => [kind, label])).toEqual([
      ['open', 'Open agent a'],
      ['toggle', 'Select to compare'],
      ['assign', 'Move to another agent…'],
      ['separate', 'Make an agent of its own'],
    ])
  })

  it('gives back only what was assigned by hand, and separates the deployments of a cell', () => {
    const actions = cellActions([deployment('a'), deployment('b', true)], (id) => id === 'b')
    expect(actions.map(({ label, deployment: { id }, isSeparated }) => [id, label, isSeparated])).toEqual([
      ['a', 'Open agent a', false],
      ['a', 'Select agent a to compare', false],
      ['a', 'Move agent a to another agent…', false],
      ['a', 'Make agent a an agent of its own', false],
      ['b', 'Open agent b', true],
      ['b', 'Deselect agent b', false],
      ['b', 'Move agent b to another agent…', false],
      ['b', 'Make agent b an agent of its own', false],
      ['b', 'Give agent b back to its own row', false],
    ])
    expect(actions.at(-1)?.kind).toBe('give-back')
  })
})
