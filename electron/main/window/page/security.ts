import { app, type Session } from 'electron'
import { isAppUrl } from './app-origin'

/*
 * Security related measures: https://www.electronjs.org/docs/latest/tutorial/security
 * Each of them is tried in test/e2e/security/security.spec.ts. Widen none of them without a reason written here.
 */

/** Without these, Chromium from 147 on keeps the page from the development server. */
const devPermissions = ['local-network-access', 'loopback-network']

/**
 * Denies every permission, asked for or looked up: the page needs none (the clipboard is written by main), but under
 * `npm run dev`.
 */
export function denyPermissions(session: Session): void {
  const granted = (permission: string): boolean =>
    DEV_SERVER_PORT !== null && devPermissions.includes(permission)
  session.setPermissionRequestHandler((_contents, permission, answer) => answer(granted(permission)))
  session.setPermissionCheckHandler((_contents, permission) => granted(permission))
  session.setDevicePermissionHandler(() => false)
}

/** Fetches no dictionaries from the Internet: a page that checks no spelling does not keep its session from it. */
export function fetchNoDictionaries(session: Session): void {
  session.setSpellCheckerLanguages([])
  session.setSpellCheckerEnabled(false)
}

/** Lets no page save a file: what is saved, main asks about and writes. */
export function refuseDownloads(session: Session): void {
  session.on('will-download', (event) => event.preventDefault())
}

/**
 * Cuts a session off the network: app:// needs none, and requests to services have sessions of their own. The policy of
 * the page forbids what it knows; a dead proxy, for this machine too, stops what it does not, such as WebRTC over TCP.
 * Under `npm run dev` the development server alone is reached. Not waited for: no page is there yet.
 */
export function cutOff(session: Session, report: (error: unknown) => void): void {
  session
    .setProxy({
      mode: 'fixed_servers',
      // Nobody listens at the port "discard", and only an administrator could.
      proxyRules: 'http://127.0.0.1:9',
      proxyBypassRules: DEV_SERVER_PORT === null ? '<-loopback>' : `<-loopback>;127.0.0.1:${DEV_SERVER_PORT}`,
    })
    .catch(report)
}

/** Keeps every page where it is: no other page, no frame, no new window, no webview, and no staying when it closes. */
export function confineEveryPage(): void {
  // A client certificate says who one is: none is ever sent unasked.
  app.on('select-client-certificate', (event, _contents, _url, _list, choose) => {
    event.preventDefault()
    choose()
  })
  app.on('web-contents-created', (_created, contents) => {
    // WebRTC without UDP, and over TCP only through the session's proxy, which is dead.
    contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
    contents.on('will-navigate', (event, url) => {
      if (!isAppUrl(url)) event.preventDefault()
    })
    contents.on('will-redirect', (event) => event.preventDefault())
    contents.on('will-frame-navigate', (event) => {
      if (!event.isMainFrame || !isAppUrl(event.url)) event.preventDefault()
    })
    // Its `beforeunload` may not keep a window open, or an application that has begun to quit.
    contents.on('will-prevent-unload', (event) => event.preventDefault())
    contents.on('will-attach-webview', (event) => event.preventDefault())
    contents.setWindowOpenHandler(() => ({ action: 'deny' }))
  })
}
