/** A network session of Electron that accepts every setting. Members of `own` replace or extend it. */
export function fakeSession<Own extends object>(own: Own) {
  const done = (): Promise<void> => Promise.resolve()
  return {
    setPermissionRequestHandler: () => undefined,
    setPermissionCheckHandler: () => undefined,
    setSpellCheckerLanguages: () => undefined,
    setCertificateVerifyProc: () => undefined,
    setProxy: done,
    forceReloadProxyConfig: done,
    clearAuthCache: done,
    closeAllConnections: done,
    ...own,
  }
}
