import { app, type Session } from 'electron'
import { isAppUrl } from './app-file'

/*
 * Security related measures: https://www.electronjs.org/docs/latest/tutorial/security
 * Each of them is tried in test/e2e/security/security.spec.ts. Widen none of them without a reason written here.
 */

/** Without these, Chromium 147 and later keeps the page from the development server. */
const devPermissions = ['local-network-access', 'loopback-network']

/**
 * Denies every permission request and check, except under `npm run dev`: the page needs none (the main process writes
 * the clipboard).
 */
export function denyPermissions(session: Session): void {
  const granted = (permission: string): boolean =>
    DEV_SERVER_PORT !== null && devPermissions.includes(permission)
  session.setPermissionRequestHandler((_contents, permission, answer) => answer(granted(permission)))
  session.setPermissionCheckHandler((_contents, permission) => granted(permission))
  session.setDevicePermissionHandler(() => false)
}

/** Downloads no dictionaries, which a session does even for a page without spell checking. */
export function fetchNoDictionaries(session: Session): void {
  session.setSpellCheckerLanguages([])
  session.setSpellCheckerEnabled(false)
}

/** Refuses downloads: the main process asks about and writes every file. */
export function refuseDownloads(session: Session): void {
  session.on('will-download', (event) => event.preventDefault())
}

/**
 * Cuts a session off the network: app:// needs none, and requests to services have sessions of their own. The page's
 * policy forbids most requests. A proxy that leads nowhere, also for loopback hosts, stops the rest, such as WebRTC
 * over TCP. Under `npm run dev`, only the development server is reachable. Nothing waits for this, because no page is
 * loaded yet.
 */
export function cutOff(session: Session, report: (error: unknown) => void): void {
  session
    .setProxy({
      mode: 'fixed_servers',
      // Nothing listens at the port "discard", and only an administrator could.
      proxyRules: 'http://127.0.0.1:9',
      proxyBypassRules: DEV_SERVER_PORT === null ? '<-loopback>' : `<-loopback>;127.0.0.1:${DEV_SERVER_PORT}`,
    })
    .catch(report)
}

/** Forbids navigation, frames, new windows, webviews, and pages that prevent closing. */
export function confineEveryPage(): void {
  // A client certificate identifies the operator, so none is sent without a question.
  app.on('select-client-certificate', (event, _contents, _url, _list, choose) => {
    event.preventDefault()
    choose()
  })
  app.on('web-contents-created', (_created, contents) => {
    // WebRTC without UDP. Over TCP, it has only the session's proxy, which leads nowhere.
    contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
    contents.on('will-navigate', (event, url) => {
      if (!isAppUrl(url)) event.preventDefault()
    })
    contents.on('will-redirect', (event) => event.preventDefault())
    contents.on('will-frame-navigate', (event) => {
      if (!event.isMainFrame || !isAppUrl(event.url)) event.preventDefault()
    })
    // `beforeunload` must not keep a window open, or an application that is quitting.
    contents.on('will-prevent-unload', (event) => event.preventDefault())
    contents.on('will-attach-webview', (event) => event.preventDefault())
    contents.setWindowOpenHandler(() => ({ action: 'deny' }))
  })
}
