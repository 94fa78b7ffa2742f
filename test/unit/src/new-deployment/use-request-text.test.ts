import { type AppState } from '@contract'
import fc from 'fast-check'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { effectScope, nextTick, shallowRef } from 'vue'
import { on } from '@/app/api'
import { draftOf, emptyDraft, mask, masked, requestOf } from '@/features/new-deployment/draft/draft'
import { draftWith, languages, readRequest } from '@/features/new-deployment/request-text/read-request'
import { useRequestText } from '@/features/new-deployment/request-text/use-request-text'
import { useAppStore } from '@/app/stores/app'
import { useDraftsStore } from '@/features/new-deployment/drafts'
import { createRequests } from '../../../support/properties/arbitraries'
import { appState } from '../../../support/page/fake-bridge'

vi.mock('@/app/api', async () => {
  const { fail, failure } = await import('@contract')
  return { call: vi.fn(() => Promise.resolve(fail(failure('cancelled', 'Cancelled.')))), on: vi.fn() }
})

const none = { before: emptyDraft('cloud').entered, remembered: new Map<string, string>() }

/** Requests as drafts send them: without blanks at the ends of names, and with texts as labels and annotations. */
const requests = createRequests.map((request) => {
  const spec = request.source_config.resource_spec
  for (const map of [spec?.labels, spec?.annotations]) {
    for (const [name, value] of Object.entries(map ?? {})) {
      if (['number', 'boolean'].includes(typeof value)) map![name] = String(value)
    }
  }
  return requestOf(draftOf(request))
})

/** Sends a state of the window to a started store. */
function emitState(state: AppState): void {
  vi.mocked(on)
    .mock.calls.filter(([name]) => name === 'app.state')
    .at(-1)![1](state)
}

function problemsOf(text: string, language: 'json' | 'yaml' = 'yaml'): string[] {
  const reading = readRequest(text, language, none)
  return reading.ok ? [] : reading.problems.map(({ line, column, message }) => `${line}:${column} ${message}`)
}

describe.each(['json', 'yaml'] as const)('a request as %s', (language) => {
  it('returns the same request, whatever the contract accepts', () => {
    fc.assert(
      fc.property(requests, (request) => {
        const before = draftOf(request)
        const text = languages[language].write(masked(request)).replace(/\r\n?/g, '\n')
        const reading = readRequest(text, language, { before: before.entered, remembered: new Map() })
        if (!reading.ok) throw new Error(JSON.stringify(reading.problems))
        expect(requestOf(draftWith(before, reading.request))).toStrictEqual(request)
      }),
    )
  })
})

describe('a text', () => {
  it('may be as unfinished as the form', () => {
    for (const mode of ['cloud', 'self-hosted'] as const) {
      const text = languages.yaml.write(requestOf(emptyDraft(mode)))
      expect(problemsOf(text)).toEqual([])
    }
    expect(problemsOf('source: repohost')).toEqual([])
    expect(problemsOf('source: repohost\nsource_config: {integration_id: not yet}')).toEqual([])
    expect(problemsOf('source: repohost\nsecret_references: [{name: A}]')).toEqual([])
  })

  it.each([
    ['', '1:1 A request is an object with the fields name, source, …'],
    [
      'name: a',
      '1:1 Choose one of repohost, external_docker, internal_docker, internal_source, internal_template.',
    ],
    ['name: [5]\nsource: repohost', '1:1 A text is expected here.'],
    ['name: a\nsource: repohost\nsource_config:\n  cpu: 1', '4:3 The interface has no member "cpu" here.'],
    [
      'name: a\nsource: repohost\nsource_config:\n  build_on_push: maybe',
      '4:3 true or false is expected here.',
    ],
    ['source: repohost\nsource_config:\n  resource_spec:\n    cpu: two', '4:5 Enter a number.'],
    ['source: repohost\nsource_config:\n  resource_spec:\n    min_scale: 1.5', '4:5 Enter a whole number.'],
    ['source: repohost\nsecrets: none', '2:1 A list is expected here: [ … ].'],
    ['source: repohost\nsecrets: [none]', '2:11 An object is expected here: { … }.'],
    [
      `source: repohost\nsecrets:\n  - name: A\n    value: ${mask}`,
      '4:5 This mask has no stored value. Enter the value.',
    ],
    ['name: a\n source: repohost', '1:7 Nested mappings are not allowed in compact mappings.'],
  ])('%j is refused with its position', (text, problem) => {
    expect(problemsOf(text)).toContain(problem)
  })
})

describe('masks', () => {
  const before = [
    { name: 'A', value: '1' },
    { name: 'B', value: '2' },
    { name: 'C', value: '3' },
  ]

  /** The values of secrets with these names in a text in which all are masked. */
  function valuesOf(names: string[]): string[] {
    const secrets = names.map((name) => ({ name, value: mask }))
    const entered = { ...none.before, secrets: before }
    const text = JSON.stringify({ ...none.before, secrets })
    const reading = readRequest(text, 'json', { before: entered, remembered: new Map() })
    return reading.ok ? reading.request.secrets.map(({ value }) => value) : []
  }

  it.each([
    [
      ['A', 'B', 'C'],
      ['1', '2', '3'],
    ],
    [
      ['C', 'A', 'B'],
      ['3', '1', '2'],
    ],
    [
      ['B', 'C'],
      ['2', '3'],
    ],
    [
      ['A', 'renamed', 'C'],
      ['1', '2', '3'],
    ],
    [
      ['A', 'A', 'C'],
      ['1', '2', '3'],
    ],
  ])('of %j stand for %j', (names, values) => {
    expect(valuesOf(names)).toEqual(values)
  })
})

describe('the text beside the form', () => {
  beforeEach(() => {
    setActivePinia(createPinia())
    vi.useFakeTimers()
  })

  /** The text of a draft with a name and a secret. `form` changes the form as its fields do. */
  function beside() {
    const store = useDraftsStore()
    const entry = store.currentDraft(store.open('one'))
    store.set(entry, ['name'], 'agent')
    store.set(entry, ['secrets', 0], { name: 'KEY', value: 's3cret' })
    const request = shallowRef(requestOf(entry.draft))
    const scope = effectScope()
    const again = () => useRequestText(entry, () => request.value)
    const text = scope.run(again)!
    text.choose('yaml')
    const check = async (): Promise<void> => {
      request.value = requestOf(entry.draft)
      await nextTick()
    }
    const form = async (path: string[], value: unknown): Promise<void> => {
      store.set(entry, path, value)
      await check()
    }
    const type = async (typed: string): Promise<void> => {
      text.type(typed)
      vi.runAllTimers()
      await check()
    }
    return { entry, text, form, type, scope, again: () => effectScope().run(again)! }
  }

  it('follows the form, and the form follows it; typed text stays as it was typed', async () => {
    const { entry, text, form, type, scope } = beside()
    expect(text.text.value).toContain('name: agent')
    await form(['name'], 'other')
    expect(text.text.value).toContain('name: other')
    const typed = text.text.value.replace('name: other', 'name:   third # for now')
    await type(typed)
    expect(entry.draft.entered.name).toBe('third')
    expect(text.text.value).toBe(typed)
    expect(entry.draft.entered.secrets).toEqual([{ name: 'KEY', value: 's3cret' }])
    scope.stop()
  })

  it('leaves the form alone while it cannot be parsed, and gives way to the form without being lost', async () => {
    const { entry, text, form, type, scope } = beside()
    const { revision } = entry
    await type('name: [\nsource: repohost')
    expect(entry.unread?.problems).toHaveLength(1)
    expect(entry.revision).toBe(revision)
    await form(['name'], 'from the form')
    expect(entry.unread).toBeNull()
    expect(text.text.value).toContain('name: from the form')
    text.bringBack()
    expect(text.text.value).toBe('name: [\nsource: repohost')
    expect(entry.unread?.problems).toHaveLength(1)
    expect(entry.draft.entered.name).toBe('from the form')
    scope.stop()
  })

  it('gives way as soon as its environment leads elsewhere, even if it is in view', async () => {
    const app = useAppStore()
    await app.start()
    emitState(appState('a'))
    const store = useDraftsStore()
    const entry = store.currentDraft(store.open('a'))
    const scope = effectScope()
    const text = scope.run(() => useRequestText(entry, () => requestOf(entry.draft)))!
    const trust = (fingerprint: string) => {
      const state = appState('a')
      state.environments[0]!.profile!.trust = { kind: 'exact', certificate: { fingerprint } as never }
      state.environments[0]!.service = `a, ${fingerprint}`
      emitState(state)
    }
    text.choose('json')
    const request = JSON.parse(text.text.value) as object
    const secrets = [{ name: 'KEY', value: 'for-the-first-service' }]
    const typed = JSON.stringify({ ...request, secrets }).slice(0, -1)
    text.type(typed)
    vi.runAllTimers()
    expect(entry.unread?.text).toBe(typed)
    trust('first')
    expect(entry.unread).toBeNull()
    expect(text.text.value).not.toContain('for-the-first-service')
    expect(entry.left?.text).toBe(typed)
    expect(entry.left?.isFromBefore).toBe(true)
    text.bringBack()
    expect(entry.unread?.text).toBe(typed)
    // The text that is being typed now was also begun before, and may be readable.
    text.type(`${typed.replace('first', 'second')}}`)
    trust('second')
    vi.runAllTimers()
    expect(entry.draft.entered.secrets).toEqual([])
    expect(text.text.value).not.toContain('for-the-')
    expect(entry.left?.text).toContain('for-the-second-service')
    expect(entry.left?.isFromBefore).toBe(true)
    scope.stop()
  })

  it('keeps comments when the form changes, while a value is masked, and in the other language', async () => {
    const { entry, text, form, type, scope } = beside()
    await type(`# ours\n${text.text.value.replace(mask, 'typed-here # from the vault')}`)
    await form(['name'], 'from the form')
    expect(text.text.value).toContain('# ours\nname: from the form')
    expect(text.text.value).toContain(`value: ${mask} # from the vault`)
    expect(text.text.value).not.toContain('typed-here')
    text.choose('json')
    await form(['name'], 'meanwhile')
    expect(text.text.value).not.toContain('ours')
    text.choose('yaml')
    expect(text.text.value).toContain('# ours\nname: meanwhile')
    expect(entry.draft.entered.secrets).toEqual([{ name: 'KEY', value: 'typed-here' }])
    scope.stop()
  })

  it('masks a value that was typed as soon as it loses the focus, and stores it', async () => {
    const { entry, text, type, scope } = beside()
    await type(text.text.value.replace(mask, 'typed-here'))
    expect(entry.draft.entered.secrets[0]!.value).toBe('typed-here')
    text.settle()
    expect(text.text.value).not.toContain('typed-here')
    expect(text.text.value).toContain(mask)
    expect(entry.draft.entered.secrets[0]!.value).toBe('typed-here')
    scope.stop()
  })

  it('does not lose typed text when it is closed or changes its language', async () => {
    const { entry, text, scope } = beside()
    text.type(text.text.value.replace('agent', 'quick'))
    text.choose('json')
    expect(entry.draft.entered.name).toBe('quick')
    expect(text.text.value).toContain('"name": "quick"')
    text.type(text.text.value.replace('quick', 'quicker'))
    scope.stop()
    expect(entry.draft.entered.name).toBe('quicker')
  })
})
