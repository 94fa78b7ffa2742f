import { type AppState, deploymentSchema } from '@contract'
import fc from 'fast-check'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { effectScope, nextTick, shallowRef } from 'vue'
import { on } from '@/api'
import { changeSource, draftOf, emptyDraft, unsentFields, requestOf } from '@/domain/draft/draft'
import { contentOf } from '@/domain/draft/persisted'
import { mask, masked } from '@/domain/draft/mask-secrets'
import { copyJson, setValueAt } from '@/domain/text/json-path'
import { languages } from '@/screens/new-deployment/request-text/languages'
import { draftWith, readRequest } from '@/screens/new-deployment/request-text/read-request'
import { reuse } from '@/screens/new-deployment/request-text/reuse'
import { unmask } from '@/screens/new-deployment/request-text/secret-masks'
import { useRequestText } from '@/screens/new-deployment/request-text/use-request-text'
import { useAppStore } from '@/stores/application/app'
import { useCreationStore } from '@/stores/creation/creation'
import { useDraftsStore } from '@/stores/creation/drafts'
import { createRequests } from '../../../../../support/properties/arbitraries'
import { appState } from '../../../../../support/page/fake-bridge'

vi.mock('@/api', async () => {
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

  it('sets the same request in a draft that had another', () => {
    fc.assert(
      fc.property(requests, requests, (request, other) => {
        const reading = readRequest(languages[language].write(request), language, none)
        if (!reading.ok) throw new Error(JSON.stringify(reading.problems))
        expect(requestOf(draftWith(draftOf(other), reading.request))).toStrictEqual(request)
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
      '1:1 Expected one of repohost, external_docker, internal_docker, internal_source, internal_template.',
    ],
    ['name: [5]\nsource: repohost', '1:1 Expected text.'],
    ['name: a\nsource: repohost\nsource_config:\n  cpu: 1', '4:3 Unknown field "cpu".'],
    ['name: a\nsource: repohost\nsource_config:\n  build_on_push: maybe', '4:3 Expected true or false.'],
    ['source: repohost\nsource_config:\n  resource_spec:\n    cpu: two', '4:5 Expected a number.'],
    [
      'source: repohost\nsource_config:\n  resource_spec:\n    min_scale: 1.5',
      '4:5 Expected a whole number.',
    ],
    ['source: repohost\nsecrets: none', '2:1 Expected a list.'],
    ['source: repohost\nsecrets: [none]', '2:11 Expected an object.'],
    [
      `source: repohost\nsecrets:\n  - name: A\n    value: ${mask}`,
      '4:5 This mask has no stored value. Enter the value.',
    ],
    ['name: a\n source: repohost', '1:7 Nested mappings are not allowed in compact mappings.'],
  ])('%j is refused with its position', (text, problem) => {
    expect(problemsOf(text)).toContain(problem)
  })

  it('reports every problem, in the order of the text', () => {
    expect(
      problemsOf('{\n "secrets": 1,\n "source": "repohost",\n "more": 1,\n "name": [2]\n}', 'json'),
    ).toEqual(['2:2 Expected a list.', '4:2 Unknown field "more".', '5:2 Expected text.'])
  })
})

describe('masks', () => {
  const before = [
    { name: 'A', value: '1' },
    { name: 'B', value: '2' },
    { name: 'C', value: '3' },
  ]
  const shown = (...names: string[]) => names.map((name) => ({ name, value: mask }))
  const valuesOf = (secrets: unknown[], remembered = new Map<string, string>()) =>
    unmask(secrets, before, remembered).secrets.map((secret) => (secret as { value: string }).value)

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
    expect(valuesOf(shown(...names))).toEqual(values)
  })

  it('let a typed value through, and report that it is in plain text', () => {
    const typed = [{ name: 'A', value: 'new' }, ...shown('B')]
    expect(valuesOf(typed)).toEqual(['new', '2'])
    expect(unmask(typed, before, new Map()).clear).toBe(true)
    expect(unmask(shown('A'), before, new Map()).clear).toBe(false)
  })

  it('recognise a value that was cut out, and report unknown ones', () => {
    expect(valuesOf(shown('A', 'B', 'C', 'D'), new Map([['D', '4']]))).toEqual(['1', '2', '3', '4'])
    expect(unmask(shown('A', 'B', 'C', 'D'), before, new Map()).unknown).toEqual([3])
  })
})

describe('fields that the form keeps without sending them', () => {
  it('stays when the text is edited', () => {
    const draft = emptyDraft('cloud')
    setValueAt(draft.entered, ['source_config', 'repo_url'], 'https://code.example.com/a')
    changeSource(draft, 'internal_docker')
    const reading = readRequest('name: a\nsource: internal_docker', 'yaml', none)
    if (!reading.ok) throw new Error('unread')
    const after = draftWith(draft, reading.request)
    expect(unsentFields(after)).toEqual(['repo_url'])
    expect(requestOf(after).source_config).toEqual({})
  })
})

describe('parts that did not change', () => {
  it('stay the same objects', () => {
    const before = { list: [{ a: 1 }, { b: 2 }], other: { c: [3] } }
    const after = reuse(before, { list: [{ a: 1 }, { b: 5 }], other: { c: [3] } })
    expect(after).toEqual({ list: [{ a: 1 }, { b: 5 }], other: { c: [3] } })
    expect(after.list[0]).toBe(before.list[0])
    expect(after.other).toBe(before.other)
    expect(reuse(before, copyJson(before))).toBe(before)
    expect(Object.keys(reuse({ a: 1, b: 2 }, { b: 2, a: 1 }))).toEqual(['b', 'a'])
  })
})

describe('the text beside the form', () => {
  beforeEach(() => {
    setActivePinia(createPinia())
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** The text of a draft with a name and a secret. `form` changes the form as its fields do. */
  function beside() {
    const store = useDraftsStore()
    const entry = store.currentDraft(store.open('one', 'cloud'))
    store.set(entry, ['name'], 'agent')
    store.set(entry, ['secrets', 0], { name: 'KEY', value: 's3cret' })
    const request = shallowRef(requestOf(entry.draft))
    const scope = effectScope()
    const again = () =>
      useRequestText(
        () => entry,
        () => request.value,
      )
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
    expect(text.problems.value).toHaveLength(1)
    expect(entry.revision).toBe(revision)
    await form(['name'], 'from the form')
    expect(text.problems.value).toEqual([])
    expect(text.text.value).toContain('name: from the form')
    text.bringBack()
    expect(text.text.value).toBe('name: [\nsource: repohost')
    expect(text.problems.value).toHaveLength(1)
    expect(entry.draft.entered.name).toBe('from the form')
    scope.stop()
  })

  it('shows a text that cannot be parsed again, with its error, wherever the operator was meanwhile', async () => {
    const { entry, text, type, scope, again } = beside()
    await type('name: [\nsource: repohost')
    text.type('name: [x\nsource: repohost')
    scope.stop()
    expect(JSON.stringify(contentOf(entry.draft))).not.toContain('[x')
    const next = again()
    expect(next.text.value).toBe('name: [x\nsource: repohost')
    expect(next.language.value).toBe('yaml')
    expect(next.problems.value).toHaveLength(1)
    expect(entry.draft.entered.name).toBe('agent')
    next.type('name: x\nsource: repohost')
    next.settle()
    expect(entry.draft.entered.name).toBe('x')
    expect(entry.unread).toBeNull()
    expect(again().text.value).not.toContain('[x')
  })

  it('keeps a text that gave way, wherever the operator was meanwhile', async () => {
    const { form, type, scope, again } = beside()
    await type('name: [\nsource: repohost')
    await form(['name'], 'from the form')
    scope.stop()
    const next = again()
    expect(next.text.value).toContain('name: from the form')
    next.bringBack()
    expect(next.text.value).toBe('name: [\nsource: repohost')
    next.giveWay()
    expect(next.text.value).toContain('name: from the form')
    expect(next.left.value).toMatchObject({ text: 'name: [\nsource: repohost' })
  })

  it('shows a text from before its environment was edited only when asked to', async () => {
    const { entry, type, scope, again } = beside()
    const app = useAppStore()
    const typed = 'secrets: [{name: KEY, value: for-the-first-service'
    const emit = (service: string) => {
      const state = appState('one')
      emitState({ ...state, environments: [{ ...state.environments[0]!, id: 'one', service }] })
    }
    await app.start()
    emit('first')
    await type(typed)
    emit('second')
    scope.stop()
    const next = again()
    expect(next.text.value).not.toContain('for-the-first-service')
    expect(next.leftIsFromBefore.value).toBe(true)
    expect(entry.left?.text).toBe(typed)
    next.bringBack()
    expect(next.text.value).toBe(typed)
  })

  it('gives way as soon as its environment leads elsewhere, even if it is in view', async () => {
    const app = useAppStore()
    await app.start()
    emitState(appState('a'))
    const store = useDraftsStore()
    const entry = store.currentDraft(store.open('a', 'cloud'))
    const scope = effectScope()
    const text = scope.run(() =>
      useRequestText(
        () => entry,
        () => requestOf(entry.draft),
      ),
    )!
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
    expect(text.left.value?.text).toBe(typed)
    expect(text.leftIsFromBefore.value).toBe(true)
    text.bringBack()
    expect(entry.unread?.text).toBe(typed)
    // The text that is being typed now was also begun before, and may be readable.
    text.type(`${typed.replace('first', 'second')}}`)
    trust('second')
    vi.runAllTimers()
    expect(entry.draft.entered.secrets).toEqual([])
    expect(text.text.value).not.toContain('for-the-')
    expect(text.left.value?.text).toContain('for-the-second-service')
    expect(text.leftIsFromBefore.value).toBe(true)
    scope.stop()
  })

  it('stays when it loses the focus although a value could be read in plain text before', async () => {
    const { text, type, scope } = beside()
    await type(text.text.value.replace(mask, 'typed-here'))
    const typed = `${text.text.value}\nsource_config: [`
    await type(typed)
    text.settle()
    expect(text.text.value).toBe(typed)
    scope.stop()
  })

  it('keeps a draft that has nothing else', async () => {
    useAppStore().state = appState('a')
    const store = useDraftsStore()
    const form = store.open('a', 'cloud')
    const entry = store.currentDraft(form)
    const scope = effectScope()
    const text = scope.run(() =>
      useRequestText(
        () => entry,
        () => requestOf(entry.draft),
      ),
    )!
    text.type('{ "name": "typed-for-ten-minutes", ')
    scope.stop()
    store.beginEmpty()
    expect(form.drafts).toHaveLength(2)
    expect(form.drafts[0]!.unread?.text).toBe('{ "name": "typed-for-ten-minutes", ')
    const deployment = deploymentSchema.parse({ id: 'd-1', name: 'agent' })
    const accountKey = useAppStore().accountKeyOf('a')
    useCreationStore().completeDraft(form, form.drafts[0]!, { deployment, found: true, accountKey })
    expect(form.drafts).toHaveLength(2)
    store.discard(form, form.drafts[0]!)
    expect(entry.unread).toBeNull()
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

  it('restores the value of a secret that was cut out and pasted back', async () => {
    const { entry, text, type, scope } = beside()
    const before = text.text.value
    await type(before.replace(/secrets:[^]*/, 'secrets: []'))
    expect(entry.draft.entered.secrets).toEqual([])
    await type(before)
    expect(entry.draft.entered.secrets).toEqual([{ name: 'KEY', value: 's3cret' }])
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
