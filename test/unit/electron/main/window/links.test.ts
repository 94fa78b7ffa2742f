import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Question } from '../../../../../electron/main/window/questions'
import { createOpenLink } from '../../../../../electron/main/window/links'

const opened = vi.hoisted(() => vi.fn(() => Promise.resolve()))
vi.mock('electron', () => ({ shell: { openExternal: opened } }))

beforeEach(() => opened.mockClear())

function open(answer: boolean | null) {
  const questions: Question[] = []
  const link = createOpenLink((question) => {
    questions.push(question)
    return Promise.resolve(answer)
  })
  return { questions, link }
}

const codeOf = async (outcome: ReturnType<ReturnType<typeof createOpenLink>>): Promise<string> => {
  const ended = await outcome
  return ended.ok ? 'ok' : ended.failure.code
}

describe('a link', () => {
  it('is shown with what could look like something else written out', async () => {
    const { questions, link } = open(true)
    await link('https://gооgle.example/\u202egpj.exe')
    expect(questions[0]?.message).toMatch(/^Open xn--[\x20-\x7e]+ in your browser\?$/)
    expect(questions[0]?.detail).toMatch(/^[\x20-\x7e\n]+$/)
  })

  it.each([
    'file:///etc/passwd',
    'javascript:alert(1)',
    'ssh://git@example.com/a',
    'git@example.com:acme/app.git',
    'smb://share/x',
    'slipway://x',
    'ms-msdt:/id',
    'https://git.example.com@evil.example/',
    'https://ann:secret@git.example.com/',
    'not an address',
    '',
    `https://example.com/${'x'.repeat(3_000)}`,
  ])('%s is refused without a question', async (text) => {
    const { questions, link } = open(true)
    expect(await codeOf(link(text))).toBe('invalid-input')
    expect(questions).toEqual([])
    expect(opened).not.toHaveBeenCalled()
  })

  it.each([
    [false, 'cancelled'],
    [null, 'not-allowed'],
  ] as const)('is not opened where the answer is %s', async (answer, code) => {
    const { link } = open(answer)
    expect(await codeOf(link('http://example.com/'))).toBe(code)
    expect(opened).not.toHaveBeenCalled()
  })

  it('that fits into no dialog is not opened', async () => {
    const { questions, link } = open(true)
    expect(await codeOf(link(`https://example.com/${'x'.repeat(1_900)}`))).toBe('not-allowed')
    expect(questions).toEqual([])
  })

  it('says so if the system has no browser', async () => {
    opened.mockRejectedValueOnce(new Error('no handler'))
    expect(await codeOf(open(true).link('http://example.com/'))).toBe('internal')
  })
})
