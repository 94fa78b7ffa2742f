/** Commits that mended a fault together with a test, and the test files that noticed it. */
export const mends: readonly { commit: string; subject: string; tests?: readonly string[] }[] = [
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
    tests: ['test/unit/electron/main/features/watches/rules/index.test.ts'],
  },
  {
    commit: '57a51f73',
    subject: 'Set a cache aside under a name of its own',
  },
  {
    commit: 'eae1e71f',
    subject: 'Read all environments again after a failure, and watches less and less often',
    tests: [
      'test/unit/electron/main/features/watches/rules/index.test.ts',
      'test/unit/src/stores/overview/overview.test.ts',
    ],
  },
  {
    commit: '073e7087',
    subject: 'Look at earlier attempts again after the service was asked for a name',
    tests: ['test/unit/electron/main/features/deployments/creation.test.ts'],
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
    tests: ['test/unit/electron/main/features/files/environment-file/index.test.ts'],
  },
  {
    commit: 'b21619d0',
    subject:
      'Open a clone’s form also if only the choice of its environment wasn’t stored, and ask for a name where the service has it',
    tests: ['test/unit/src/screens/deployments/table/clone-deployment.test.ts'],
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
      'test/unit/electron/domain/attention/reach.test.ts',
      'test/unit/electron/main/features/overview/index.test.ts',
      'test/unit/electron/main/http/connections.test.ts',
    ],
  },
  {
    commit: '1d6e5692',
    subject: 'Say what is rolling out in the status where revisions have no room, and draw the table once',
    tests: ['test/unit/src/screens/deployments/table/DeploymentsTable.test.ts'],
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
    tests: ['test/unit/src/screens/deployments/table/ColumnsMenu.test.ts'],
  },
  {
    commit: '821f8921',
    subject: 'Ignore an Escape that is held down on the panel beside the list',
    tests: ['test/unit/src/screens/deployments/panel/use-deployment-panel.test.ts'],
  },
  {
    commit: '252a017e',
    subject:
      'Keep the focused header’s column in the table, and come back to the panel’s row only from the panel',
    tests: ['test/unit/src/screens/deployments/table/DeploymentsTable.test.ts'],
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
]
