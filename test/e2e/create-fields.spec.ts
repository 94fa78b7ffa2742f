import type { ResourceSpec } from '@contract'
import type { Page } from '@playwright/test'
import { create, deploymentsNamed, fill, openForm, press, switchTo, textbox } from './support/creation'
import { expect, test } from './support/fixtures'
import { inspectScreen } from './support/screens'

const selfHosted = 'Sandbox (self-hosted)'

/** Opens a part of the resource spec, unless it is open already. */
async function openPart(page: Page, title: string): Promise<void> {
  const part = page.getByRole('heading', { name: new RegExp(`^${title}`) }).getByRole('button')
  if ((await part.getAttribute('aria-expanded')) !== 'true') await part.click()
}

const parts = ['Workloads', 'Metadata', 'Volumes', 'Volume mounts', 'Init containers', 'Sidecars']

/** Fills in a combobox that takes any text. */
async function choose(page: Page, name: string, text: string): Promise<void> {
  await page.getByRole('combobox', { name, exact: true }).fill(text)
  await page.keyboard.press('Tab')
}

/** What is entered below: every kind of member of the resource spec (interface: ResourceSpec). */
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
  // What was typed for one kind stays when another is chosen.
  await chooseKind(page, 2, 'nfs')
  await fillText(page, 'Volume 2 nfs', 'sizeLimit: 2Gi # small')
  await chooseKind(page, 2, 'emptyDir')
  await expectText(page, 'Volume 2 emptyDir', 'sizeLimit: 2Gi # small')

  await openPart(page, 'Volume mounts')
  await press(page, 'Add volume mount')
  const volume = page.getByRole('combobox', { name: 'Volume mount 1 name', exact: true })
  await volume.click()
  await expect(page.getByRole('listbox').getByRole('option')).toHaveText(['settings', 'scratch'])
  await page.getByRole('option', { name: 'settings', exact: true }).click()
  await fill(page, { 'Volume mount 1 mount path': '/etc/agent' })
  await page.getByRole('combobox', { name: 'Volume mount 1 read only', exact: true }).click()
  await page.getByRole('option', { name: 'true', exact: true }).click()
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
  await choose(page, 'Sidecar 1 image pull policy', 'IfNotPresent')
  await choose(page, 'Sidecar 1 restart policy', 'Always')
  await press(page, 'Add sidecar 1 argument')
  await fill(page, { 'Sidecar 1 argument 1': '--config=/etc/agent/telemetry.yaml' })
  await press(page, 'Add sidecar 1 variable')
  await fill(page, { 'Sidecar 1 variable 1 name': 'LEVEL', 'Sidecar 1 variable 1 value': 'info' })
  await press(page, 'Add sidecar 1 variable')
  await fill(page, { 'Sidecar 1 variable 2 name': 'TOKEN' })
  await press(page, 'Sidecar 1 variable 2: value from elsewhere')
  await fillText(page, 'Sidecar 1 variable 2 value from', 'secretKeyRef:\n  name: tokens\n  key: telemetry')
  await fillText(page, 'Sidecar 1 variables from', '[{ "configMapRef": { "name": "telemetry" } }]')
  await press(page, 'Add sidecar 1 request')
  await fill(page, { 'Sidecar 1 request 1 key': 'cpu', 'Sidecar 1 request 1 value': '50m' })
  await press(page, 'Add sidecar 1 limit')
  await fill(page, { 'Sidecar 1 limit 1 key': 'cpu', 'Sidecar 1 limit 1 value': '200m' })
  await press(page, 'Add sidecar 1 volume mount')
  await choose(page, 'Sidecar 1 volume mount 1 name', 'scratch')
  await fill(page, { 'Sidecar 1 volume mount 1 mount path': '/tmp/agent' })
  await fillText(page, 'Sidecar 1 security context', 'runAsNonRoot: true')
}

async function chooseKind(page: Page, volume: number, kind: string): Promise<void> {
  await page.getByRole('combobox', { name: `Volume ${volume} kind`, exact: true }).click()
  await page.getByRole('option', { name: kind, exact: true }).click()
}

const fillText = (page: Page, name: string, text: string): Promise<void> => textbox(page, name).fill(text)

const expectText = (page: Page, name: string, text: string): Promise<void> =>
  expect(textbox(page, name)).toHaveValue(text)

for (const { radio, source, environment, texts } of [
  {
    radio: 'External image',
    source: 'external_docker',
    environment: selfHosted,
    texts: { 'Image URI': 'registry.example.com/agents/support:1.4.0' },
  },
]) {
  test(`creates from source ${source} with every kind of member of the resource spec`, async ({
    slipway,
    page,
  }) => {
    test.setTimeout(240_000)
    await switchTo(page, environment)
    await openForm(page)
    await page.getByRole('radio', { name: radio }).check()
    await fill(page, { Name: 'with-spec', ...texts })
    await enterSpec(page)
    for (const part of parts) await openPart(page, part)
    await inspectScreen(slipway, 'new-deployment-spec')
    await create(page, environment)
    await expect(page.getByRole('status').filter({ hasText: 'Created' })).toContainText('with-spec')
    const [created] = await deploymentsNamed(page, 'with-spec')
    expect(created?.source_config.resource_spec).toEqual(entered)
  })
}
