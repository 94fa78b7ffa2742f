/** A commit that mended a fault, and the test files that notice the fault. */
export interface Mend {
  /** With `undo`, the one that wrote the line as it is. */
  commit: string
  subject: string
  /** Brings the fault back where the commit can no longer be reverted: a text that is there once, and what it was. */
  undo?: { file: string; now: string; then: string }
  tests: readonly string[]
}

export const mends: readonly Mend[] = [
  {
    commit: '98640c05',
    subject: 'Name the revision that became active when the service doesn’t say the latest',
    tests: ['test/unit/electron/main/features/watches/rules.test.ts'],
  },
  {
    commit: '0c415633',
    subject:
      'Name the environment in the title of every system notification: a deployment’s name could pose as it',
    tests: ['test/unit/electron/main/features/watches/notices.test.ts'],
  },
  {
    commit: '3bf3fdeb',
    subject: 'Let Ctrl+Enter create from a field with choices, too',
    tests: ['test/unit/src/ui/form/SelectField.test.ts'],
  },
  {
    commit: 'cf8cc65e',
    subject: 'Let an identifier in a link not go on with the sentence about it',
    tests: ['test/unit/src/app/shell/link-target.test.ts'],
  },
  {
    commit: '32b78be2',
    subject:
      'Leave the notices open while an Escape is held down that closed something else, as the panel and screens do',
    undo: {
      file: 'src/features/watches/NoticesPanel.vue',
      now: "key !== 'Escape' || event.repeat",
      then: "key !== 'Escape'",
    },
    tests: ['test/unit/src/watches/NoticesPanel.test.ts'],
  },
  {
    commit: '821f8921',
    subject: 'Ignore an Escape that is held down on the panel beside the list',
    undo: {
      file: 'src/features/list/deployment-panel.ts',
      now: 'if (!event.repeat) panel.close()',
      then: 'panel.close()',
    },
    tests: ['test/unit/src/list/use-deployment-panel.test.ts'],
  },
  {
    commit: '481fd1a0',
    subject: 'Deny access only where a service refuses the request headers',
    tests: ['test/unit/electron/main/http/index.test.ts'],
  },
  {
    commit: '97608acd',
    subject: 'Pin the classes of naive-ui that our styles name',
    undo: {
      file: 'src/app/theme/base.css',
      now: '.n-input__placeholder > span',
      then: '.n-input__hint > span',
    },
    tests: ['test/unit/src/app/theme/naive.classes.test.ts'],
  },
  {
    commit: '030ca14f',
    subject: 'Keep the rest of a cloned URL whose password is hidden',
    undo: {
      file: 'src/features/new-deployment/draft/prefill.ts',
      now: "const left = member.replace(hiddenInUrl, '')",
      then: 'const left = member',
    },
    tests: ['test/unit/src/new-deployment/prefill.test.ts'],
  },
  {
    commit: '030ca14f',
    subject: 'Warn of a variable without a value',
    undo: {
      file: 'electron/contract/deployment-api/request/check.ts',
      now: 'item.name && !item.value && !item.valueFrom',
      then: 'item.name === null',
    },
    tests: ['test/unit/electron/contract/deployment-api/requests.test.ts'],
  },
  {
    commit: '76908017',
    subject: 'Read scp-like addresses with a scheme, and prefixes of any depth',
    tests: ['test/unit/electron/domain/agents.test.ts'],
  },
  {
    commit: 'cef20d21',
    subject: 'Let the panel follow the focus again, whoever moved it',
    undo: {
      file: 'src/features/list/deployment-panel.ts',
      now: 'if (id !== null) panel.show(id)',
      then: 'if (id !== null && shownRow()) panel.show(id)',
    },
    tests: ['test/unit/src/list/use-deployment-panel.test.ts'],
  },
  {
    commit: 'fce8bd93',
    subject: 'Give one reason for a name with a control character at its end',
    tests: ['test/service/interface/create.test.ts'],
  },
  {
    commit: 'afe711f4',
    subject: "Take no deployment for an attempt's that is much older",
    undo: {
      file: 'electron/main/features/deployments/attempts.ts',
      now: 'const olderMs = 300_000',
      then: 'const olderMs = 86_400_000',
    },
    tests: ['test/unit/electron/main/features/deployments/match.test.ts'],
  },
  {
    commit: 'afe711f4',
    subject: 'Settle no attempt by a deployment with another configuration',
    undo: {
      file: 'electron/main/features/deployments/attempts.ts',
      now: 'if (differences.length > 0) return',
      then: 'if (differences.length > 99) return',
    },
    tests: ['test/unit/electron/main/features/deployments/match.test.ts'],
  },
  {
    commit: 'afe711f4',
    subject: "Leave it to the operator which of several deployments is the attempt's",
    undo: {
      file: 'electron/main/features/deployments/attempts.ts',
      now: 'if (rest.length > 0) {',
      then: 'if (rest.length > 99) {',
    },
    tests: ['test/unit/electron/main/features/deployments/match.test.ts'],
  },
  {
    commit: 'afe711f4',
    subject: 'Settle nothing while another attempt at the name is open',
    undo: {
      file: 'electron/main/features/deployments/attempts.ts',
      now: "(hasRival ? 'several' : doubt)",
      then: 'doubt',
    },
    tests: ['test/unit/electron/main/features/deployments/match.test.ts'],
  },
  {
    commit: 'afe711f4',
    subject: 'Take no answer 408, 409 or 429 for a refusal',
    undo: {
      file: 'electron/main/features/deployments/creation.ts',
      now: '[408, 409, 429]',
      then: '[]',
    },
    tests: [
      'test/unit/electron/main/features/deployments/creation.test.ts',
      'test/unit/electron/main/features/deployments/index.test.ts',
    ],
  },
  {
    commit: 'afe711f4',
    subject: 'Take no 5xx for a refusal',
    undo: {
      file: 'electron/main/features/deployments/creation.ts',
      now: 'status >= 400 && status < 500',
      then: 'status >= 400 && status < 600',
    },
    tests: [
      'test/unit/electron/main/features/deployments/creation.test.ts',
      'test/unit/electron/main/features/deployments/index.test.ts',
    ],
  },
  {
    commit: 'cb690b56',
    subject: 'Create nothing in a read-only environment',
    undo: {
      file: 'electron/main/environments/known.ts',
      now: 'if (readOnly) {',
      then: "if (name === '') {",
    },
    tests: [
      'test/unit/electron/main/features/deployments/creation.test.ts',
      'test/unit/electron/main/features/deployments/index.test.ts',
    ],
  },
  {
    commit: 'e7e8ea74',
    subject: 'Ask for the name of a protected environment before a creation',
    undo: {
      file: 'electron/main/environments/known.ts',
      now: 'isProtected && confirmedName !== name',
      then: "isProtected && confirmedName === ''",
    },
    tests: [
      'test/unit/electron/main/features/deployments/creation.test.ts',
      'test/unit/electron/main/features/deployments/index.test.ts',
    ],
  },
  {
    commit: '64c148af',
    subject: 'Let a second press send nothing while the first is under way',
    undo: {
      file: 'electron/main/features/deployments/creation.ts',
      now: 'if (keys.some((key) => this.#held.has(key))) return null',
      then: '',
    },
    tests: [
      'test/unit/electron/main/features/deployments/creation.test.ts',
      'test/unit/electron/main/features/deployments/index.test.ts',
    ],
  },
  {
    commit: 'afe711f4',
    subject: 'Let one consent to send again count once',
    undo: {
      file: 'electron/main/features/deployments/creation.ts',
      now: 'if (consent.sentAgain !== blocking.sentAgain)',
      then: 'if (consent.sentAgain === -1)',
    },
    tests: [
      'test/unit/electron/main/features/deployments/creation.test.ts',
      'test/unit/electron/main/features/deployments/index.test.ts',
    ],
  },
  {
    commit: '9aa7d92b',
    subject: 'Send nothing with settings from before an edit',
    undo: {
      file: 'electron/main/features/deployments/creation.ts',
      now: '?? (unchanged.ok ? null : unchanged.failure)',
      then: '?? null',
    },
    tests: [
      'test/unit/electron/main/features/deployments/creation.test.ts',
      'test/unit/electron/main/features/deployments/index.test.ts',
    ],
  },
  {
    commit: '14e11f30',
    subject: 'Show no deployment of the former service as one of the new',
    undo: {
      file: 'electron/main/features/deployments/creation.ts',
      now: '(await leadsElsewhere(environments, environment))',
      then: '(await Promise.resolve(false))',
    },
    tests: [
      'test/unit/electron/main/features/deployments/creation.test.ts',
      'test/unit/electron/main/features/deployments/index.test.ts',
    ],
  },
  {
    commit: 'afe711f4',
    subject: 'Let an attempt of an environment block its name also after its base URL was edited',
    undo: {
      file: 'electron/main/features/deployments/creation.ts',
      now: ' ?? blockingAttempt(own, name)',
      then: '',
    },
    tests: [
      'test/unit/electron/main/features/deployments/creation.test.ts',
      'test/unit/electron/main/features/deployments/index.test.ts',
    ],
  },
  {
    commit: 'afe711f4',
    subject: 'Take no answer with another name for the new deployment',
    undo: {
      file: 'electron/main/features/deployments/creation.ts',
      now: 'return detail.deployment.name === creation.request.name',
      then: "return detail.deployment.name !== ''",
    },
    tests: [
      'test/unit/electron/main/features/deployments/creation.test.ts',
      'test/unit/electron/main/features/deployments/index.test.ts',
    ],
  },
  {
    commit: 'afe711f4',
    subject: 'Compare the names of secrets with those that were sent',
    undo: {
      file: 'electron/main/features/deployments/attempts.ts',
      now: 'return of(names) === of(sent.secrets) ?',
      then: 'return names.length > -1 ?',
    },
    tests: ['test/unit/electron/main/features/deployments/match.test.ts'],
  },
  {
    commit: 'd7e0c7c1',
    subject: "Show no answer of another account as this one's",
    undo: {
      file: 'electron/main/environments/known.ts',
      now: 'isSameAccount(now.value, ready.value) ? answer : fail(environmentChangedFailure)',
      then: 'answer',
    },
    tests: [
      'test/unit/electron/main/environments/index.test.ts',
      'test/unit/electron/main/features/deployments/index.test.ts',
      'test/unit/electron/main/environments/known.test.ts',
    ],
  },
  {
    commit: '2cf73928',
    subject: 'Use no stored header value over another proxy',
    undo: {
      file: 'electron/main/environments/stored-secrets.ts',
      now: "    ['requests now go through another proxy', !isSameProxy(stored.proxy, wanted.proxy)],\n",
      then: '',
    },
    tests: ['test/unit/electron/main/environments/stored-secrets.test.ts'],
  },
  {
    commit: '2cf73928',
    subject: 'Use no stored header value under another certificate rule',
    undo: {
      file: 'electron/main/environments/stored-secrets.ts',
      now: "    ['the service may now show another certificate', !isTrusted],\n",
      then: '',
    },
    tests: ['test/unit/electron/main/environments/stored-secrets.test.ts'],
  },
  {
    commit: '2cf73928',
    subject: 'Use no stored header value for another tenant',
    undo: {
      file: 'electron/main/environments/stored-secrets.ts',
      now: "    ['the tenant (X-Tenant-Id) has changed', stored.tenant !== wanted.tenant],\n",
      then: '',
    },
    tests: ['test/unit/electron/main/environments/stored-secrets.test.ts'],
  },
  {
    commit: '5690d1fa',
    subject: "Use a proxy's password with its own user name only",
    undo: {
      file: 'electron/main/environments/stored-secrets.ts',
      now: 'credentials.userName === wanted.credentials?.userName',
      then: "credentials.userName !== ''",
    },
    tests: ['test/unit/electron/main/environments/stored-secrets.test.ts'],
  },
  {
    commit: '2cf73928',
    subject: 'Send no secrets with other request headers',
    undo: {
      file: 'electron/main/environments/known.ts',
      now: '[sent.sort(), proxyParts',
      then: '[proxyParts',
    },
    tests: [
      'test/unit/electron/main/environments/known.test.ts',
      'test/unit/electron/main/stored/drafts.test.ts',
      'test/unit/electron/main/features/deployments/index.test.ts',
    ],
  },
  {
    commit: '003b20e5',
    subject: "Read a tenant's UUID in either case",
    undo: {
      file: 'electron/main/environments/known.ts',
      now: 'tenant?.toLowerCase() ?? null',
      then: 'tenant ?? null',
    },
    tests: ['test/unit/electron/main/environments/known.test.ts'],
  },
  {
    commit: '27efa16b',
    subject: 'Keep credentials from a proxy on another machine on a trial engine',
    undo: {
      file: 'electron/main/http/trial-engine.ts',
      now: ' && (proxy === null || isLoopbackHost(proxy.host))',
      then: '',
    },
    tests: ['test/unit/electron/main/http/trial-engine.test.ts'],
  },
  {
    commit: '1ce5129b',
    subject: 'Mask the longest secret first',
    undo: {
      file: 'electron/main/http/error-body.ts',
      now: '    .sort((a, b) => b.length - a.length)\n',
      then: '',
    },
    tests: ['test/unit/electron/main/http/failures.test.ts'],
  },
  {
    commit: '4d02a3c6',
    subject: 'Write one audit entry at a time: none is lost or doubled',
    undo: { file: 'electron/service/access/audit.ts', now: 'writing ??= write()', then: 'writing = write()' },
    tests: ['test/unit/electron/service'],
  },
  {
    commit: '1e30f537',
    subject: 'Count the refusals of a key instead of filling the audit',
    undo: {
      file: 'electron/service/access/audit.ts',
      now: 'const mostOfKey = 100',
      then: 'const mostOfKey = 100_000',
    },
    tests: ['test/unit/electron/service'],
  },
  {
    commit: 'f87a1811',
    subject: 'Answer a deletion of several in part where one meets a fault',
    undo: {
      file: 'electron/service/routes/deployments.ts',
      now: 'if (faults.length === ids.length) throw',
      then: 'if (faults.length > 0) throw',
    },
    tests: ['test/service/access/audit.test.ts'],
  },
  {
    commit: 'f87a1811',
    subject: 'Name in the audit what was not deleted',
    undo: {
      file: 'electron/service/routes/deployments.ts',
      now: "      context.set('undone', failures)\n",
      then: '',
    },
    tests: ['test/service/access/audit.test.ts'],
  },
  {
    commit: 'cb92fba1',
    subject: 'Refuse pages of another origin on loopback',
    undo: {
      file: 'electron/service/http/network.ts',
      now: 'if (isLocal && isForeign',
      then: 'if (!isLocal && isForeign',
    },
    tests: ['test/service/access/access.test.ts'],
  },
  {
    commit: '4d02a3c6',
    subject: 'Serve nothing beside the base path',
    undo: {
      file: 'electron/service/http/network.ts',
      now: 'if (!path.startsWith(`${basePath}/`)) return outside + path',
      then: '',
    },
    tests: ['test/service/running/network.test.ts'],
  },
  {
    commit: '8aaf9bd5',
    subject: 'Answer only under allowed names in a network',
    undo: {
      file: 'electron/service/http/network.ts',
      now: "((!isLocal || host === '') && checks.has(context.req.path))",
      then: "(!isLocal || host === '')",
    },
    tests: ['test/service/running/network.test.ts'],
  },
  {
    commit: 'bf9bb3dc',
    subject: 'Store no value of a secret in the service',
    undo: {
      file: 'electron/service/routes/creation.ts',
      now: "secrets: body.secrets.map(({ name }) => ({ name, value: '' })),",
      then: 'secrets: body.secrets.map(({ name, value }) => ({ name, value })),',
    },
    tests: ['test/service/interface/create.test.ts'],
  },
  {
    commit: '210bb66b',
    subject: 'Read no body of a request beyond the limit',
    undo: {
      file: 'electron/service/api/body.ts',
      now: 'if (Number(length) > limits.bodyBytes) throw tooLarge',
      then: '',
    },
    tests: ['test/service/interface/create.test.ts'],
  },
  {
    commit: '4d02a3c6',
    subject: 'Refuse a body that isn’t UTF-8',
    undo: {
      file: 'electron/service/api/body.ts',
      now: "new TextDecoder('utf-8', { fatal: true })",
      then: "new TextDecoder('utf-8')",
    },
    tests: ['test/service/interface/create.test.ts'],
  },
  {
    commit: '210bb66b',
    subject: 'Refuse a body that is nested too deeply',
    undo: {
      file: 'electron/service/api/request-parts.ts',
      now: 'if (level === limits.levels) return tooDeep',
      then: '',
    },
    tests: ['test/service/interface/create.test.ts'],
  },
  {
    commit: 'f87a1811',
    subject: 'Refuse a name that another deployment has',
    undo: {
      file: 'electron/service/database/deployments.ts',
      now: 'if (freed.numUpdatedRows > 0n) return null',
      then: 'if (freed.numUpdatedRows >= 0n) return null',
    },
    tests: ['test/service/interface/create.test.ts'],
  },
  {
    commit: 'f87a1811',
    subject: 'Free a name only once its deployment is gone',
    undo: {
      file: 'electron/service/database/deployments.ts',
      now: "        .where('frees_name', '=', 1)\n        .where('gone_at', '<=', now)\n",
      then: "        .where('frees_name', '=', 1)\n",
    },
    tests: ['test/service/life/deployments.test.ts'],
  },
  {
    commit: 'f87a1811',
    subject: 'Skip no deployment when others are deleted between two pages',
    undo: {
      file: 'electron/service/database/deployments.ts',
      now: 'return sql<number>`${limit} + (${gone})`',
      then: 'return sql<number>`${limit} + (${gone}) * 0`',
    },
    tests: ['test/service/life/deployments.test.ts'],
  },
  {
    commit: 'f87a1811',
    subject: 'Read a deployment of one tenant only',
    undo: {
      file: 'electron/service/database/deployments.ts',
      now: "        .where('id', '=', id.toLowerCase())\n        .where('tenant_id', '=', tenantId)\n",
      then: "        .where('id', '=', id.toLowerCase())\n",
    },
    tests: ['test/service/access/tenants.test.ts'],
  },
  {
    commit: 'f87a1811',
    subject: 'List the deployments of one tenant only',
    undo: {
      file: 'electron/service/database/deployments.ts',
      now: "          .where('tenant_id', '=', tenantId)\n          .where((query) =>",
      then: '          .where((query) =>',
    },
    tests: ['test/service/access/tenants.test.ts'],
  },
  {
    commit: '210bb66b',
    subject: 'Refuse a key that is bound to another tenant',
    undo: {
      file: 'electron/service/access/caller.ts',
      now: 'if (requested !== null && requested !== tenantId) {',
      then: 'if (requested !== null && requested === null) {',
    },
    tests: ['test/service/access/tenants.test.ts'],
  },
  {
    commit: '210bb66b',
    subject: 'Let a key for reading only read',
    undo: {
      file: 'electron/service/access/caller.ts',
      now: "if (role === 'read' && !isReading(context.req)) {",
      then: 'if (role === null && !isReading(context.req)) {',
    },
    tests: ['test/service/access/keys.test.ts'],
  },
  {
    commit: 'd7f25785',
    subject: 'Refuse a revoked key',
    undo: {
      file: 'electron/service/access/key-ring.ts',
      now: "if (revokedAt !== null) return { state: 'revoked', name, since: revokedAt }",
      then: '',
    },
    tests: ['test/service/access/keys.test.ts'],
  },
  {
    commit: 'd7f25785',
    subject: 'Refuse an expired key',
    undo: {
      file: 'electron/service/access/key-ring.ts',
      now: "if (hasExpired(found)) return { state: 'expired', name, since: expiresAt! }",
      then: '',
    },
    tests: ['test/service/access/keys.test.ts'],
  },
  {
    commit: 'd7f25785',
    subject: 'Slow down who tries keys',
    undo: {
      file: 'electron/service/access/wrong-keys.ts',
      now: 'network.left -= 1',
      then: '',
    },
    tests: ['test/unit/electron/service/access.test.ts'],
  },
  {
    commit: '8aaf9bd5',
    subject: 'Log no signature of an upload, however its name is encoded',
    undo: {
      file: 'electron/service/http/request-log.ts',
      now: 'secretName.test(decoded(name))',
      then: 'secretName.test(name)',
    },
    tests: ['test/service/life/uploads.test.ts'],
  },
  {
    commit: 'f87a1811',
    subject: 'Accept an upload once',
    undo: {
      file: 'electron/service/database/archives.ts',
      now: "if (kept.numInsertedOrUpdatedRows === 0n) return 'used already'",
      then: '',
    },
    tests: ['test/service/life/uploads.test.ts'],
  },
  {
    commit: 'f87a1811',
    subject: 'Refuse an upload to an address of another deployment',
    undo: {
      file: 'electron/service/routes/uploads.ts',
      now: "if (archives === null || state !== 'right') {",
      then: "if (archives === null || state === 'expired') {",
    },
    tests: ['test/service/life/uploads.test.ts'],
  },
  {
    commit: 'f87a1811',
    subject: 'Start on no damaged database',
    undo: {
      file: 'electron/service/database/sqlite.ts',
      now: 'if (holds && !isSound(connection)) throw damaged(path)',
      then: '',
    },
    tests: ['test/service/sqlite/folder.test.ts'],
  },
  {
    commit: 'f87a1811',
    subject: 'Restore no backup that was changed',
    undo: {
      file: 'electron/service/database/backup.ts',
      now: '(expected !== null && expected !== (await sha256(partial))) || ',
      then: '',
    },
    tests: ['test/service/sqlite/backup.test.ts'],
  },
]
