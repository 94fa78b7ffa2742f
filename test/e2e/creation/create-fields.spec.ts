import { builtInEnvironments, type ResourceSpec, sampleIntegrationId } from '@contract'
import type { Locator, Page } from '@playwright/test'
import { expectAccessible, inspectScreen } from '../support/page/accessibility'
import {
  create,
  deploymentsNamed,
  fill,
  goTo,
  openForm,
  press,
  pressRare,
  switchTo,
  textbox,
} from '../support/page/creation'
import { askDirectly, choose, deploymentsTable } from '../support/page/deployments'
import { expect, test } from '../support/fixtures'
import { cloud, selfHosted, useServices } from '../support/services/stub-service'

/** Opens a part of the resource spec, unless it is open. */
async function openPart(page: Page, title: string): Promise<void> {
  const part = page.getByRole('heading', { name: new RegExp(`^${title}`) }).getByRole('button')
  if ((await part.getAttribute('aria-expanded')) !== 'true') await part.click()
}

/** Fills in a combobox with free text. */
async function fillCombobox(page: Page, name: string, text: string): Promise<void> {
  await page.getByRole('combobox', { name, exact: true }).fill(text)
  await page.keyboard.press('Tab')
}

/** The entered values: every kind of member of the resource spec (ResourceSpec in the interface). */
const entered: ResourceSpec = {
  min_scale: 1,
  max_scale: 4,
  cpu: 0.5,
  cpu_limit: 1.5,
  memory_mb: 1024,
  memory_limit_mb: 2048,
  queue_max_scale: 3,
  redis_memory_mb: 256,
  db_storage_gi: 20,
  db_max_connections: 200,
  orchestrator_cpu: 0.2,
  executor_memory_limit_mb: 4096,
  labels: { team: 'support', 'app.kubernetes.io/name': 'agent' },
  annotations: { owner: 'support@example.com' },
  service_account_name: 'agent-runner',
  image_pull_secrets: [{ name: 'registry-credentials' }],
  volumes: [
    { name: 'settings', configMap: { name: 'agent-settings', optional: true } },
    { name: 'scratch', emptyDir: { sizeLimit: '2Gi' } },
  ],
  volume_mounts: [{ name: 'settings', mountPath: '/etc/agent', readOnly: true, subPath: 'agent' }],
  init_containers: [{ name: 'fetch', image: 'registry.example.com/fetch:1', command: ['fetch', '--all'] }],
  sidecars: [
    {
      name: 'telemetry',
      image: 'registry.example.com/telemetry:2',
      imagePullPolicy: 'IfNotPresent',
      restartPolicy: 'Always',
      workingDir: '/app',
      args: ['--config=/etc/agent/telemetry.yaml'],
      env: [
        { name: 'LEVEL', value: 'info' },
        { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'tokens', key: 'telemetry' } } },
      ],
      envFrom: [{ configMapRef: { name: 'telemetry' } }],
      resources: { requests: { cpu: '50m' }, limits: { cpu: '200m' } },
      volumeMounts: [{ name: 'scratch', mountPath: '/tmp/agent' }],
      securityContext: { runAsNonRoot: true },
    },
  ],
}

/** How a deployment with these shows them: values of containers' variables are hidden in every answer. */
function shown({ sidecars, ...spec }: ResourceSpec): ResourceSpec {
  const hidden = sidecars!.map((sidecar) => ({
    ...sidecar,
    env: sidecar.env!.map((one) => ('value' in one ? { ...one, value: '•••' } : one)),
  }))
  return { ...spec, sidecars: hidden }
}

/** Enters the whole resource spec, field by field. */
async function enterSpec(page: Page): Promise<void> {
  await fill(page, {
    'API min scale': '1',
    'API max scale': '4',
    'API CPU': '0.5',
    'API CPU limit': '1.5',
    'API memory': '1024',
    'API memory limit': '2048',
    'Queue max scale': '3',
    'Redis memory': '256',
    'Database storage': '20',
    'Database max connections': '200',
    'Orchestrator CPU': '0.2',
    'Executor memory limit': '4096',
  })

  await openPart(page, 'Metadata')
  await press(page, 'Add label')
  await fill(page, { 'Label 1 key': 'team', 'Label 1 value': 'support' })
  await press(page, 'Add label')
  await fill(page, { 'Label 2 key': 'app.kubernetes.io/name', 'Label 2 value': 'agent' })
  await press(page, 'Add annotation')
  await fill(page, { 'Annotation 1 key': 'owner', 'Annotation 1 value': 'support@example.com' })
  await fill(page, { 'Service account': 'agent-runner' })
  await press(page, 'Add pull secret')
  await fill(page, { 'Pull secret 1 name': 'registry-credentials' })

  await openPart(page, 'Volumes')
  await press(page, 'Add volume')
  await fill(page, { 'Volume 1 name': 'settings' })
  await chooseKind(page, 1, 'configMap')
  await fillText(page, 'Volume 1 configMap', '{ "name": "agent-settings", "optional": true }')
  await press(page, 'Add volume')
  await fill(page, { 'Volume 2 name': 'scratch' })
  // The text for one kind stays when another kind is chosen.
  await chooseKind(page, 2, 'nfs')
  await fillText(page, 'Volume 2 nfs', 'sizeLimit: 2Gi # small')
  await chooseKind(page, 2, 'emptyDir')
  await expectText(page, 'Volume 2 emptyDir', 'sizeLimit: 2Gi # small')

  await openPart(page, 'Volume mounts')
  await press(page, 'Add volume mount')
  const mounted = 'Volume mount 1 name'
  await page.getByRole('combobox', { name: mounted, exact: true }).click()
  const offered = page.getByRole('listbox', { name: mounted, exact: true }).getByRole('option')
  await expect(offered).toHaveText(['settings', 'scratch'])
  await offered.filter({ hasText: 'settings' }).click()
  await fill(page, { 'Volume mount 1 mount path': '/etc/agent' })
  await choose(page, 'Volume mount 1 read only', 'true')
  await press(page, 'Volume mount 1: sub path, propagation')
  await fill(page, { 'Volume mount 1 sub path': 'agent' })

  await openPart(page, 'Init containers')
  await press(page, 'Add init container')
  await fill(page, {
    'Init container 1 name': 'fetch',
    'Init container 1 image': 'registry.example.com/fetch:1',
  })
  await press(page, 'Add init container 1 command part')
  await fill(page, { 'Init container 1 command part 1': 'fetch' })
  await press(page, 'Add init container 1 command part')
  await fill(page, { 'Init container 1 command part 2': '--all' })

  await openPart(page, 'Sidecars')
  await press(page, 'Add sidecar')
  await fill(page, {
    'Sidecar 1 name': 'telemetry',
    'Sidecar 1 image': 'registry.example.com/telemetry:2',
    'Sidecar 1 working directory': '/app',
  })
  await fillCombobox(page, 'Sidecar 1 image pull policy', 'IfNotPresent')
  await fillCombobox(page, 'Sidecar 1 restart policy', 'Always')
  await press(page, 'Add sidecar 1 argument')
  await fill(page, { 'Sidecar 1 argument 1': '--config=/etc/agent/telemetry.yaml' })
  await press(page, 'Add sidecar 1 variable')
  await fill(page, { 'Sidecar 1 variable 1 name': 'LEVEL', 'Sidecar 1 variable 1 value': 'info' })
  await press(page, 'Add sidecar 1 variable')
  await fill(page, { 'Sidecar 1 variable 2 name': 'TOKEN' })
  await press(page, 'Add value source to sidecar 1 variable 2')
  await fillText(page, 'Sidecar 1 variable 2 value source', 'secretKeyRef:\n  name: tokens\n  key: telemetry')
  await press(page, 'Add sidecar 1 environment sources')
  await fillText(page, 'Sidecar 1 environment sources', '[{ "configMapRef": { "name": "telemetry" } }]')
  await press(page, 'Add sidecar 1 request')
  await fill(page, { 'Sidecar 1 request 1 key': 'cpu', 'Sidecar 1 request 1 value': '50m' })
  await press(page, 'Add sidecar 1 limit')
  await fill(page, { 'Sidecar 1 limit 1 key': 'cpu', 'Sidecar 1 limit 1 value': '200m' })
  await press(page, 'Add sidecar 1 volume mount')
  await fillCombobox(page, 'Sidecar 1 volume mount 1 name', 'scratch')
  await fill(page, { 'Sidecar 1 volume mount 1 mount path': '/tmp/agent' })
  await press(page, 'Add sidecar 1 security context')
  await fillText(page, 'Sidecar 1 security context', 'runAsNonRoot: true')
}

const sections = (page: Page): Locator => page.getByRole('navigation', { name: 'Sections of the form' })
const link = (page: Page, name: string): Locator => sections(page).getByRole('button', { name, exact: true })
const heightOf = (element: Locator): Promise<number> =>
  element.evaluate((one) => one.getBoundingClientRect().height)

const chooseKind = (page: Page, volume: number, kind: string): Promise<void> =>
  choose(page, `Volume ${volume} kind`, kind)

const fillText = (page: Page, name: string, text: string): Promise<void> => textbox(page, name).fill(text)

const expectText = (page: Page, name: string, text: string): Promise<void> =>
  expect(textbox(page, name)).toHaveText(text)

/** The resource spec of a deployment, as the service answers it and Slipway reads it. */
async function specOf(page: Page, name: string, source: string): Promise<unknown> {
  await expect(page.getByRole('status').filter({ hasText: 'Created' })).toContainText(name)
  const [created, ...others] = await deploymentsNamed(page, name)
  expect(others).toEqual([])
  expect(created?.source).toBe(source)
  return created?.source_config.resource_spec
}

test('creates from every cloud source with every kind of member of the resource spec', async ({
  page,
  services,
}) => {
  await useServices(page, services)
  await openForm(page)
  await fill(page, {
    Name: 'spec-repohost',
    'Integration ID': sampleIntegrationId,
    'Repository URL': 'https://github.com/acme-labs/order-copilot',
    'Git ref': 'main',
    'Config path': 'agents/order.json',
    'Install command': 'npm ci',
    'Build command': 'npm run build',
  })
  await page.getByRole('switch', { name: 'Build on push' }).click()
  await choose(page, 'Deployment type', 'Development')
  await enterSpec(page)
  // Content outside the scrolling area must not push the window's own bars away.
  expect(await page.evaluate(() => document.querySelector('main')?.scrollTop)).toBe(0)
  await expectAccessible(page, 'the form with every part of the resource spec open')
  await create(page, cloud)
  expect(await specOf(page, 'spec-repohost', 'repohost')).toEqual(shown(entered))
  expect(await deploymentsNamed(page, 'spec-repohost')).toMatchObject([
    {
      source_config: {
        integration_id: sampleIntegrationId,
        repo_url: 'https://github.com/acme-labs/order-copilot',
        build_on_push: true,
        install_command: 'npm ci',
        build_command: 'npm run build',
        deployment_type: 'dev',
      },
      source_revision_config: { repo_ref: 'main', graph_config_path: 'agents/order.json' },
    },
  ])
  // The deployment's page opens, and the form is empty again.
  await expect(page.getByRole('heading', { name: 'spec-repohost', level: 1 })).toBeVisible()
  await openForm(page)
  await expect(textbox(page, 'Name')).toHaveValue('')
  await page.goBack()

  for (const { radio, source } of [
    { radio: 'Internal image', source: 'internal_docker' },
    { radio: 'Internal source', source: 'internal_source' },
    { radio: 'Internal template', source: 'internal_template' },
  ]) {
    const name = `spec-${source.replace('_', '-')}`
    await press(page, 'Create another like it')
    await page.getByRole('radio', { name: radio }).check()
    await fill(page, { Name: name, 'API max scale': '5' })
    await page.getByRole('button', { name: /^Sidecar 1 (telemetry|proxy)/ }).click()
    await fill(page, { 'Sidecar 1 variable 1 value': source })
    await create(page, cloud)
    expect(await specOf(page, name, source)).toEqual({ ...shown(entered), max_scale: 5 })
  }
})

test('nothing moves under a pointer when a choice loses the focus, and the keyboard reaches every part', async ({
  page,
  services,
}) => {
  await useServices(page, services)
  await openForm(page)
  await textbox(page, 'Executor memory limit').focus()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'Add label', exact: true })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(textbox(page, 'Label 1 key')).toBeFocused()
  await page.keyboard.type('team')
  await page.keyboard.press('Tab')
  await page.keyboard.type('support')
  await expect(page.getByRole('region', { name: 'Request preview' })).toContainText('support')

  await switchTo(page, selfHosted)
  await openForm(page)
  await openPart(page, 'Volumes')
  const kind = (volume: number): Locator =>
    page.getByRole('combobox', { name: `Volume ${volume} kind`, exact: true })
  const lacking = 'A volume usually has a kind, such as configMap or emptyDir.'
  await press(page, 'Add volume')
  await fill(page, { 'Volume 1 name': 'settings' })

  for (const [volume, choice] of [
    [1, null],
    [2, 'emptyDir'],
  ] as const) {
    if (choice === null) await kind(volume).focus()
    else await chooseKind(page, volume, choice)
    await expect(kind(volume)).toBeFocused()
    // Near its upper edge, where a message could move it away from the pointer.
    await page.getByRole('button', { name: 'Add volume', exact: true }).hover({ position: { x: 12, y: 4 } })
    await page.mouse.down()
    // A person presses for longer than a message takes to appear, which is one frame after the field loses the focus.
    await expect(kind(volume)).not.toBeFocused()
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    )
    await page.mouse.up()
    await expect(textbox(page, `Volume ${volume + 1} name`)).toBeFocused()
  }
  await expect(kind(1)).toHaveAccessibleDescription(lacking)
  // The choice was made before the field lost the focus.
  await expect(kind(2)).not.toHaveAccessibleDescription(lacking)
})

test('shows errors at the fields of the resource spec, and opens the parts that they are in', async ({
  slipway,
  page,
  services,
}) => {
  await useServices(page, services)
  await switchTo(page, selfHosted)
  await openForm(page)
  await fill(page, { Name: 'wrong-spec', 'API CPU': '4', 'API CPU limit': '2', 'Redis memory': '1.5' })
  await openPart(page, 'Metadata')
  await press(page, 'Add label')
  await fill(page, { 'Label 1 key': 'team', 'Label 1 value': 'a' })
  await press(page, 'Add label')
  await fill(page, { 'Label 2 key': 'team', 'Label 2 value': 'b' })
  await openPart(page, 'Volumes')
  await press(page, 'Add volume')
  await fill(page, { 'Volume 1 name': 'settings' })
  await chooseKind(page, 1, 'configMap')
  await fillText(page, 'Volume 1 configMap', 'name: settings\noptional: [')
  await openPart(page, 'Sidecars')
  await press(page, 'Add sidecar')
  await fill(page, { 'Sidecar 1 name': 'proxy' })
  await press(page, 'Add sidecar 1 volume mount')
  await fillCombobox(page, 'Sidecar 1 volume mount 1 name', 'cache')
  await press(page, 'Add sidecar 1 security context')
  await fillText(page, 'Sidecar 1 security context', '{ "runAsNonRoot": }')

  // A field shows its error when it loses the focus. Nothing was sent yet.
  const mount = page.getByRole('combobox', { name: 'Sidecar 1 volume mount 1 name', exact: true })
  await expect(mount).toHaveAccessibleDescription(/No volume named "cache"/)
  await expect(textbox(page, 'API CPU')).toHaveAccessibleDescription(/\(4\) may not be more than .* \(2\)/)
  await expect(textbox(page, 'Redis memory')).toHaveAccessibleDescription(/Enter a whole number/)
  await page.getByRole('button', { name: /^Sidecar 1 (telemetry|proxy)/ }).click()
  await page
    .getByRole('heading', { name: /^Volumes/ })
    .getByRole('button')
    .click()
  await expect(textbox(page, 'Volume 1 configMap')).toHaveCount(0)

  await press(page, 'Create deployment')
  await expect(textbox(page, 'API CPU')).toBeFocused()
  await expect(textbox(page, 'Volume 1 configMap')).toHaveAccessibleDescription(/Line 2, column \d+: /)
  await expect(textbox(page, 'Sidecar 1 security context')).toHaveAccessibleDescription(
    /Line 1, column 19: A value is expected here/,
  )
  await expect(textbox(page, 'Label 2 key')).toHaveAccessibleDescription('Duplicate key "team".')
  await inspectScreen(slipway, 'new-deployment-spec-errors')
  expect(await deploymentsNamed(page, 'wrong-spec')).toEqual([])
})

test('the sections stay in view with their errors, sources and notes take one line, and rare actions are in a menu', async ({
  slipway,
  page,
}) => {
  await openForm(page)
  for (const name of ['Deployment', 'Source', 'Resources', 'Secrets'])
    await expect(link(page, name)).toBeVisible()
  await press(page, 'Create deployment')
  await expect(link(page, 'Deployment, 1 error')).toBeVisible()
  for (const name of ['Source', 'Secrets']) await expect(link(page, name), 'no error').toBeVisible()
  await inspectScreen(slipway, 'new-deployment-sections')

  for (const size of [
    { width: 1280, height: 800 },
    { width: 900, height: 600 },
  ]) {
    await slipway.resize(size.width, size.height)
    await link(page, 'Secrets').click()
    const heading = page.getByRole('heading', { name: 'Secrets', exact: true })
    await expect(heading).toBeFocused()
    await expect(heading).toBeInViewport()
    await expect(link(page, 'Deployment, 1 error'), 'they stay').toBeInViewport()
    await link(page, 'Deployment, 1 error').click()
    await expect(textbox(page, 'Name')).toBeInViewport()
  }
  await fill(page, { Name: 'now-named' })
  await expect(link(page, 'Deployment')).toBeVisible()
  await slipway.resize(1280, 800)

  await switchTo(page, builtInEnvironments['self-hosted'].name)
  await openForm(page)
  const group = page.getByRole('radiogroup', { name: 'Source' })
  await expect(group.getByRole('radio', { name: 'External image' })).toBeChecked()
  await expect(group.getByRole('radio')).toHaveCount(5)
  expect(await heightOf(group)).toBeLessThan(30)
  await expect(
    page.getByText(
      'Only in cloud environments: Repository, Internal image, Internal source, Internal template',
    ),
  ).toBeVisible()
  await goTo(page, 'Deployments')

  await deploymentsTable(page).getByRole('link').first().click()
  await press(page, 'Clone')
  await expect(page.getByText('Draft saved', { exact: true })).toBeVisible()
  const notes = page.getByRole('group', { name: /^Cloned from / })
  expect(await heightOf(notes)).toBe(34)
  await expect(notes.getByRole('listitem')).toHaveCount(0)
  await notes.getByRole('button', { name: /^Cloned from / }).click()
  await expect(notes.getByRole('listitem').first()).toBeVisible()
  await fill(page, { Name: 'a-clone' })
  await expect(page.getByText('Draft saved', { exact: true })).toBeVisible()
  await press(page, 'More actions')
  const menu = page.getByRole('menu', { name: 'More actions' })
  await expect(menu.getByRole('menuitem')).toHaveText([
    'New draft',
    'Copy or move draft…',
    'Compare with…',
    'Discard draft',
  ])
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'More actions' })).toBeFocused()
})

test('repositories, refs, config paths, listeners and namespaces are offered, and anything else can be entered', async ({
  slipway,
  page,
}) => {
  await openForm(page)
  await page.getByRole('combobox', { name: 'Integration ID' }).click()
  await page.getByRole('option', { name: sampleIntegrationId }).click()
  const url = page.getByRole('combobox', { name: 'Repository URL' })
  await url.click()
  const offered = page.getByRole('listbox', { name: 'Repository URL' }).getByRole('option')
  await expect(offered.nth(5)).toBeVisible()
  await inspectScreen(slipway, 'new-deployment-picker')
  await url.pressSequentially('order-copilot')
  await expect(offered.first()).toContainText('order-copilot')
  await offered.first().click()
  await expect(url).toHaveValue(/order-copilot$/)
  const ref = page.getByRole('combobox', { name: 'Git ref' })
  await ref.click()
  await page.getByRole('listbox', { name: 'Git ref' }).getByRole('option').first().click()
  await expect(ref).not.toHaveValue('')

  // Any other value shows in the request while it is typed.
  await fill(page, { 'Git ref': 'feature/x' })
  await expect(page.getByRole('region', { name: 'Request preview' })).toContainText('feature/x')
  await textbox(page, 'Name').focus()
  await expect(ref).toHaveValue('feature/x')
  await goTo(page, 'Deployments')
  await test.step('the config path of another deployment of the repository is offered, and any other can be entered', async () => {
    await expect(deploymentsTable(page).getByRole('rowheader').first()).toBeVisible()
    const known = (await askDirectly(page)).find(({ source }) => source === 'repohost')!
    await openForm(page)
    await pressRare(page, 'New draft')
    await fill(page, { 'Repository URL': known.repo_url! })
    const path = page.getByRole('textbox', { name: 'Config path' })
    await path.focus()
    const use = page.getByRole('button', { name: /^Use / })
    await expect(use).toBeVisible()
    await expect(page.getByRole('listbox')).toHaveCount(0)
    const offered = (await use.textContent())!.trim().replace(/^Use\s/, '')
    await use.click()
    await expect(path).toHaveValue(offered)
    await expect(path).toBeFocused()
    await expect(use).toHaveCount(0)
    await path.fill('elsewhere/agent.json')
    await expect(page.getByRole('region', { name: 'Request preview' })).toContainText('elsewhere/agent.json')
  })
  await goTo(page, 'Deployments')
  await test.step('listener and namespace of other deployments are offered, and any other can be entered', async () => {
    await switchTo(page, builtInEnvironments['self-hosted'].name)
    await expect(deploymentsTable(page).getByRole('rowheader').first()).toBeVisible()
    await openForm(page)
    const listener = page.getByRole('textbox', { name: 'Listener ID' })
    await listener.focus()
    const use = page.getByRole('button', { name: /^Use one of / })
    await expect(use.first()).toBeVisible()
    await use.first().click()
    const offered = page.getByRole('menu', { name: 'Listener ID' }).getByRole('menuitem')
    await expect(offered.nth(1)).toBeVisible()
    const chosen = (await offered.first().textContent())!.trim()
    await page.keyboard.press('Enter')
    await expect(listener).toHaveValue(chosen)
    await expect(listener).toBeFocused()
    await listener.fill('another')
    await expect(page.getByRole('region', { name: 'Request preview' })).toContainText('another')
  })
})
