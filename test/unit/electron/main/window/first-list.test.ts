// @vitest-environment happy-dom
import { beforeEach, expect, it } from 'vitest'
import { printFirstList } from '../../../../../electron/main/window/first-list'
import { temporaryFolder } from '../../../../support/temporary-folder'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

/** The line about a page. */
async function said(page: string): Promise<string> {
  document.body.innerHTML = page
  let line = ''
  const webContents = {
    executeJavaScript: (code: string) => Promise.resolve((0, eval)(code) as unknown),
    capturePage: () => Promise.resolve({ toPNG: () => Buffer.from('png') }),
  }
  await printFirstList({
    window: () => ({ webContents }) as never,
    environmentName: () => 'Sandbox (cloud)',
    folder,
    variables: { SLIPWAY_TELL_FIRST_LIST: '1' },
    write: (text) => (line += text),
  })
  return line
}

it('says how much is shown', async () => {
  expect(await said('<footer data-shown> 50 deployments shown </footer>')).toMatch(
    /^slipway: the window is open on Sandbox \(cloud\): 50 deployments shown\. A picture of it: /,
  )
})

it('says why there is nothing, sentence by sentence, without the buttons', async () => {
  const alert = `<div role="alert"><svg></svg><div><p>It did not start.</p><p>Try again. What it said: it
    ended with code 1: No room.</p><blockquote><span>The service said:</span> <span>no</span></blockquote><ul><li>a: b</li>
    </ul><div><button>Retry</button></div></div></div>`
  expect(await said(`<main>${alert}</main>`)).toContain(
    ': It did not start. Try again. What it said: it ended with code 1: No room. The service said: no a: b. A picture',
  )
})
