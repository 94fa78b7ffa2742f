/** A commit that mended a fault, and the test files that notice the fault. */
export interface Mend {
  /** With `undo`, the one that wrote the line as it is. */
  commit: string
  subject: string
  /** Brings the fault back where the commit can no longer be reverted: a text that is there once, and what it was. */
  undo?: { file: string; now: string; then: string }
  tests?: readonly string[]
}

export const mends: readonly Mend[] = [
  {
    commit: 'f475c3db',
    subject: 'Follow fast keys in the palette, and hint only at commands of other screens',
    tests: [
      'test/unit/src/components/commands/CommandPalette.test.ts',
      'test/unit/src/components/commands/PaletteSource.test.ts',
    ],
  },
  {
    commit: '0434d49d',
    subject: 'Leave the focus with a dialog that was opened while a screen was loading',
    tests: ['test/unit/src/components/page/PageHeader.test.ts'],
  },
  {
    commit: '98640c05',
    subject: 'Name the revision that became active when the service doesn’t say the latest',
    tests: ['test/unit/electron/main/features/watches/rules.test.ts'],
  },
  {
    commit: '57a51f73',
    subject: 'Set a cache aside under a name of its own',
  },
  {
    commit: 'eae1e71f',
    subject: 'Read all environments again after a failure, and watches less and less often',
    tests: [
      'test/unit/electron/main/features/watches/rules.test.ts',
      'test/unit/src/stores/overview.test.ts',
    ],
  },
  {
    commit: 'be2b579d',
    subject: 'Offer to edit the environment in FailureNotice, for four screens',
    tests: ['test/unit/src/components/failure/FailureNotice.test.ts'],
  },
  {
    commit: '0c415633',
    subject:
      'Name the environment in the title of every system notification: a deployment’s name could pose as it',
    tests: ['test/unit/electron/main/features/watches/notices.test.ts'],
  },
  {
    commit: '67ef3bf9',
    subject: 'Read the names of an imported file’s environments once, not once for each error',
    tests: ['test/unit/electron/main/features/environment-files.test.ts'],
  },
  {
    commit: 'b21619d0',
    subject:
      'Open a clone’s form also if only the choice of its environment wasn’t stored, and ask for a name where the service has it',
    tests: ['test/unit/src/screens/deployments/clone-deployment.test.ts'],
  },
  {
    commit: 'b1312935',
    subject:
      'Count the drawn row of the current environment in what the Overview can show more of, and sort sandboxes last in one place',
    tests: ['test/unit/src/screens/overview/EnvironmentRows.test.ts'],
  },
  {
    commit: '3bf3fdeb',
    subject: 'Let Ctrl+Enter create from a field with choices, too',
    tests: ['test/unit/src/components/form/SelectField.test.ts'],
  },
  {
    commit: 'a92ced20',
    subject: 'Say in the review what is built, how and when; keep the palette’s end in a low window',
    tests: ['test/unit/src/screens/new-deployment/dialogs/ReviewDialog.test.ts'],
  },
  {
    commit: '74242214',
    subject: 'Bring a section that was chosen in a low window into view',
    tests: ['test/unit/src/screens/deployment/SectionTabs.test.ts'],
  },
  {
    commit: 'cf8cc65e',
    subject: 'Let an identifier in a link not go on with the sentence about it',
    tests: ['test/unit/src/components/shell/link-target.test.ts'],
  },
  {
    commit: '609d422e',
    subject: 'Say on the Overview that a service answers errors instead of that it was reached',
    tests: [
      'test/unit/electron/domain/attention.test.ts',
      'test/unit/electron/main/features/overview.test.ts',
      'test/unit/electron/main/http/connections.test.ts',
    ],
  },
  {
    commit: '1d6e5692',
    subject: 'Say what is rolling out in the status where revisions have no room, and draw the table once',
    tests: ['test/unit/src/screens/deployments/DeploymentsTable.test.ts'],
  },
  {
    commit: '32b78be2',
    subject:
      'Leave the notices open while an Escape is held down that closed something else, as the panel and screens do',
    tests: ['test/unit/src/components/watches/NoticesPanel.test.ts'],
  },
  {
    commit: 'bfb4bf69',
    subject: 'Announce that a column without room can’t change its width',
    tests: ['test/unit/src/screens/deployments/ColumnsMenu.test.ts'],
  },
  {
    commit: '821f8921',
    subject: 'Ignore an Escape that is held down on the panel beside the list',
    tests: ['test/unit/src/screens/deployments/use-deployment-panel.test.ts'],
  },
  {
    commit: '252a017e',
    subject:
      'Keep the focused header’s column in the table, and come back to the panel’s row only from the panel',
    tests: ['test/unit/src/screens/deployments/DeploymentsTable.test.ts'],
  },
  {
    commit: '03c5aeab',
    subject: 'Keep a closing dialog’s content mounted, and blur its opener before it opens',
    tests: ['test/unit/src/components/dialog/DialogFrame.test.ts'],
  },
  {
    commit: '48c194dd',
    subject: 'Store a deployment as soon as a watch follows it',
    tests: ['test/unit/electron/main/features/watches/index.test.ts'],
  },
  {
    commit: '481fd1a0',
    subject: 'Deny access only where a service refuses the request headers',
    tests: ['test/unit/electron/main/http/connections.test.ts'],
  },
  {
    commit: '97608acd',
    subject: 'Pin the classes of naive-ui that our styles name',
    tests: ['test/unit/src/theme/naive.classes.test.ts'],
  },
  {
    commit: '030ca14f',
    subject: 'Keep the rest of a cloned URL whose password is hidden, and warn of a variable without a value',
    tests: [
      'test/unit/electron/contract/deployment-api/requests.test.ts',
      'test/unit/src/domain/prefill.test.ts',
    ],
  },
  {
    commit: '797a4d1f',
    subject: "Follow a service's offsets to their end after a chain was given up",
    tests: [
      'test/unit/electron/main/features/deployments/index.test.ts',
      'test/unit/src/stores/deployment-list/deployments.test.ts',
    ],
  },
  {
    commit: '3dfabe9e',
    subject: 'Mask secrets in the text that is shown, and test what is promised of that',
  },
  {
    commit: '76908017',
    subject: 'Read scp-like addresses with a scheme, and prefixes of any depth',
    tests: ['test/unit/electron/domain/agents.test.ts'],
  },
  {
    commit: 'cef20d21',
    subject: 'Let the panel follow the focus again, whoever moved it',
  },
  {
    commit: 'd01b9598',
    subject: "Give each environment's badge letters of its own",
    tests: ['test/unit/src/format.test.ts'],
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
      file: 'electron/main/features/deployments/match.ts',
      now: 'const olderMs = 300_000',
      then: 'const olderMs = 86_400_000',
    },
    tests: ['test/unit/electron/main/features/deployments/match.test.ts'],
  },
  {
    commit: 'afe711f4',
    subject: 'Settle no attempt by a deployment with another configuration',
    undo: {
      file: 'electron/main/features/deployments/match.ts',
      now: 'if (differences.length > 0) return',
      then: 'if (differences.length > 99) return',
    },
    tests: ['test/unit/electron/main/features/deployments/match.test.ts'],
  },
  {
    commit: 'afe711f4',
    subject: "Leave it to the operator which of several deployments is the attempt's",
    undo: {
      file: 'electron/main/features/deployments/match.ts',
      now: 'if (rest.length > 0) {',
      then: 'if (rest.length > 99) {',
    },
    tests: ['test/unit/electron/main/features/deployments/match.test.ts'],
  },
  {
    commit: 'afe711f4',
    subject: 'Settle nothing while another attempt at the name is open',
    undo: {
      file: 'electron/main/features/deployments/match.ts',
      now: "(hasRival ? 'several' : doubt)",
      then: 'doubt',
    },
    tests: ['test/unit/electron/main/features/deployments/match.test.ts'],
  },
  {
    commit: 'afe711f4',
    subject: 'Take no answer 408, 409 or 429 for a refusal',
    undo: {
      file: 'electron/main/features/deployments/failures.ts',
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
      file: 'electron/main/features/deployments/failures.ts',
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
      file: 'electron/main/features/deployments/creation.ts',
      now: 'if (environment.readOnly) {',
      then: "if (environment.name === '') {",
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
      file: 'electron/main/features/deployments/creation.ts',
      now: 'environment.protected && confirmedName !== environment.name',
      then: "environment.protected && confirmedName === ''",
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
      file: 'electron/main/features/deployments/known.ts',
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
      file: 'electron/main/features/deployments/match.ts',
      now: 'return of(names) === of(sent.secrets) ?',
      then: 'return names.length > -1 ?',
    },
    tests: ['test/unit/electron/main/features/deployments/match.test.ts'],
  },
  {
    commit: 'd7e0c7c1',
    subject: "Show no answer of another account as this one's",
    undo: {
      file: 'electron/main/environments/current-environment.ts',
      now: 'isSameAccount(now.value, ready.value) ? answer : fail(environmentChangedFailure)',
      then: 'answer',
    },
    tests: [
      'test/unit/electron/main/environments/index.test.ts',
      'test/unit/electron/main/features/deployments/index.test.ts',
      'test/unit/electron/main/environments/identity.test.ts',
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
      file: 'electron/main/environments/identity.ts',
      now: '[sent.sort(), proxyParts',
      then: '[proxyParts',
    },
    tests: [
      'test/unit/electron/main/environments/identity.test.ts',
      'test/unit/electron/main/stored/drafts',
      'test/unit/electron/main/features/deployments/index.test.ts',
    ],
  },
  {
    commit: '003b20e5',
    subject: "Read a tenant's UUID in either case",
    undo: {
      file: 'electron/main/environments/identity.ts',
      now: 'tenant?.toLowerCase() ?? null',
      then: 'tenant ?? null',
    },
    tests: ['test/unit/electron/main/environments/identity.test.ts'],
  },
  {
    commit: '27efa16b',
    subject: 'Keep credentials from a proxy on another machine on a trial engine',
    undo: {
      file: 'electron/main/http/trial-engine.ts',
      now: ' && (proxy === null || isLoopbackHost(proxy.host))',
      then: '',
    },
    tests: ['test/unit/electron/main/http/connections.test.ts'],
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
]
