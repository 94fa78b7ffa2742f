import { app, type Session } from 'electron'
import { isAppUrl } from './app-origin'

/*
 * Security related measures: https://www.electronjs.org/docs/latest/tutorial/security
 * Each of them is tried in test/e2e/security.spec.ts. Widen none of them without a reason written here.
 */

/** Denies every permission, asked for or looked up: the page needs none (the clipboard is written by main). */
export function denyPermissions(session: Session): void {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false))
  session.setPermissionCheckHandler(() => false)
  session.setDevicePermissionHandler(() => false)
}

/** Fetches no dictionaries from the Internet: a page that checks no spelling does not keep its session from it. */
export function fetchNoDictionaries(session: Session): void {
  session.setSpellCheckerLanguages([])
  session.setSpellCheckerEnabled(false)
}

/** Keeps every page where it is: no other page, no frame, no new window, no webview. */
export function confineEveryPage(): void {
  // A client certificate says who one is: none is ever sent unasked.
  app.on('select-client-certificate', (event, _contents, _url, _list, choose) => {
    event.preventDefault()
    choose()
  })
  app.on('web-contents-created', (_created, contents) => {
    contents.on('will-navigate', (event, url) => {
      if (!isAppUrl(url)) event.preventDefault()
    })
    contents.on('will-redirect', (event) => event.preventDefault())
    contents.on('will-frame-navigate', (event) => {
      if (!event.isMainFrame || !isAppUrl(event.url)) event.preventDefault()
    })
    contents.on('will-attach-webview', (event) => event.preventDefault())
    contents.setWindowOpenHandler(() => ({ action: 'deny' }))
  })
}
