import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { useAnnotationsStore } from '@/stores/annotations'
import { notePauseMs, noteRetryMs, useNotesStore } from '@/stores/notes'
import { appState, type FakeBridge, type PendingCall, settled } from '../../../../support/page/fake-bridge'
import { type AppStore, startApp } from '../../../../support/page/start-app'

let bridge: FakeBridge
let app: AppStore
let notes: ReturnType<typeof useNotesStore>

beforeEach(async () => {
  vi.useFakeTimers()
  ;({ bridge, app } = startApp())
  void app.start()
  bridge.emit('app.state', appState('a'))
  notes = useNotesStore()
  void useAnnotationsStore().open()
  await bridge.calls.find(({ name }) => name === 'annotations.list')!.answer([])
})
afterEach(() => vi.useRealTimers())

const saves = (): PendingCall[] => bridge.calls.filter(({ name }) => name === 'annotations.save')
const answer = (call: PendingCall): Promise<void> =>
  call.answer({
    deploymentId: 'd',
    name: 'agent',
    favourite: false,
    labels: [],
    note: (call.input.change as { note: string }).note,
  })

it('saves when typing pauses, and continues with what was typed meanwhile', async () => {
  notes.type('d', 'agent', 'on')
  notes.type('d', 'agent', 'one')
  vi.advanceTimersByTime(notePauseMs)
  expect(saves().map(({ input }) => input.change)).toEqual([{ note: 'one' }])
  notes.type('d', 'agent', 'one two')
  await answer(saves()[0]!)
  expect(notes.isUnsaved('d')).toBe(true)
  expect(notes.textOf('d')).toBe('one two')
  void notes.save()
  await answer(saves()[1]!)
  expect(notes.isUnsaved('d')).toBe(false)
  expect(notes.textOf('d')).toBe('one two')
})

it('keeps what could not be saved, with the reason, until it is', async () => {
  notes.type('d', 'agent', 'Ask Ann.')
  void notes.save()
  await saves()[0]!.fail({ code: 'disk-full', message: 'The disk is full.' })
  expect(notes.failureOf('d')?.message).toBe('The disk is full.')
  expect(notes.textOf('d')).toBe('Ask Ann.')
  void notes.save()
  await answer(saves()[1]!)
  expect(notes.failureOf('d')).toBeNull()
  expect(notes.textOf('d')).toBe('Ask Ann.')
})

it('retries a note that could not be saved automatically, until it is saved', async () => {
  notes.type('d', 'agent', 'Ask Ann.')
  void notes.save()
  expect(notes.unsaved).toEqual([])
  await saves()[0]!.fail({ code: 'disk-full', message: 'The disk is full.' })
  expect(notes.unsaved).toMatchObject([{ deploymentId: 'd', name: 'agent', isHere: true }])
  vi.advanceTimersByTime(noteRetryMs)
  expect(saves()).toHaveLength(2)
  // A slow save isn't overtaken by another one.
  vi.advanceTimersByTime(3 * noteRetryMs)
  expect(saves()).toHaveLength(2)
  await saves()[1]!.fail({ code: 'disk-full', message: 'The disk is full.' })
  app.state = appState('b')
  expect(notes.unsaved).toMatchObject([{ environmentId: 'a', isHere: false }])
  vi.advanceTimersByTime(noteRetryMs)
  await answer(saves()[2]!)
  expect(notes.unsaved).toEqual([])
  vi.advanceTimersByTime(3 * noteRetryMs)
  expect(saves()).toHaveLength(3)
})

it('a note goes to the environment and service in which it was typed', () => {
  notes.type('d', 'agent', 'Of a.')
  app.state = appState('b')
  expect(notes.textOf('d')).toBe('')
  vi.advanceTimersByTime(notePauseMs)
  expect(saves()[0]!.input).toMatchObject({ environmentId: 'a', service: 'a', change: { note: 'Of a.' } })
})

/** The environment is edited: it leads to this service and account now. */
function edit(service: string): void {
  const state = appState('a')
  bridge.emit('app.state', { ...state, environments: state.environments.map((one) => ({ ...one, service })) })
}

it('a note is never shown for another service', async () => {
  edit('one.key')
  notes.type('d', 'agent', 'Of the first.')
  void notes.save()
  edit('two.key')
  void useAnnotationsStore().open()
  await bridge.calls
    .filter(({ name }) => name === 'annotations.list')
    .at(-1)!
    .answer([])
  expect(notes.textOf('d')).toBe('')
  await answer(saves()[0]!)
  expect(notes.textOf('d')).toBe('')
})

it('before the application quits, the note is saved before the page reports it as saved', async () => {
  notes.type('d', 'agent', 'Last words.')
  bridge.emit('annotations.flush', null)
  await settled()
  expect(bridge.calls.map(({ name }) => name)).toEqual(['app.state', 'annotations.list', 'annotations.save'])
  await answer(saves()[0]!)
  expect(bridge.calls.at(-1)!.name).toBe('annotations.flushed')
})
