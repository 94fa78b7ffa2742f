import { type EnvironmentInput, type Outcome } from '@contract'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { call } from '@/api'
import { useEnvironmentsStore } from '@/stores/application/environments'

vi.mock('@/api', () => ({ call: vi.fn(), on: vi.fn() }))

const input: EnvironmentInput = {
  id: null,
  name: 'Staging',
  baseUrl: 'https://staging.example.com',
  mode: 'cloud',
  colour: 'blue',
  protected: false,
  readOnly: false,
  headers: [],
  integrations: [],
  nicknames: {},
  trust: { kind: 'system' },
  proxy: { mode: 'system' },
}

/** Makes each call wait until the test answers it. Returns the answering functions and the signals, in order. */
function held() {
  const answers: ((outcome: Outcome<never>) => void)[] = []
  const signals: (AbortSignal | undefined)[] = []
  vi.mocked(call).mockImplementation((_name, _input, options) => {
    signals.push(options?.signal)
    return new Promise((resolve) => answers.push(resolve))
  })
  return { answers, signals }
}

const found = (message: string) =>
  ({
    ok: true,
    value: { message, warning: null, durationMs: 5, baseUrl: 'https://x', isElsewhere: false },
  }) as Outcome<never>

describe('the connection check', () => {
  beforeEach(() => setActivePinia(createPinia()))

  it('shows the result of the newest check only, and cancels the one before', async () => {
    const { answers, signals } = held()
    const store = useEnvironmentsStore()
    const first = store.runCheck(input)
    const second = store.runCheck(input)
    expect(signals[0]?.aborted).toBe(true)
    answers[1]?.(found('second'))
    await second
    answers[0]?.(found('first'))
    await first
    expect(store.check).toMatchObject({ step: 'succeeded', result: { message: 'second' } })
  })
})
