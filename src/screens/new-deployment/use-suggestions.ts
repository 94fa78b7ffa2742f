import { computed } from 'vue'
import { type FieldName, fields } from '@/domain/draft/fields'
import { isSent } from '@/domain/draft/draft'
import { pathKey, valueAt } from '@/domain/text/json-path'
import { useDraftsStore } from '@/stores/creation/drafts'
import type { DraftEntry } from '@/stores/creation/draft-entry'
import { useKnownSourcesStore } from '@/stores/known-sources'

/** What the fields of the form suggest: integrations and repositories that are known, and values of other deployments. */
export function useSuggestions(entry: () => DraftEntry) {
  const drafts = useDraftsStore()
  const sources = useKnownSourcesStore()

  const textAt = (name: FieldName): string => {
    const value = valueAt(entry().draft.entered, fields[name].path)
    return typeof value === 'string' ? value : ''
  }
  /** The suggestions for the fields with a picker. */
  const known = computed(() => ({
    integration_id: sources.integrations,
    repo_url: sources.repositoryUrls(textAt('integration_id')),
    repo_ref: sources.refs(textAt('integration_id'), textAt('repo_url')),
  }))
  function openPicker(name: FieldName): void {
    if (name === 'integration_id') void sources.readChoices()
    else chooseIntegration()
    void sources.list(textAt('integration_id'))
  }
  const isPicked = (name: FieldName): name is 'integration_id' | 'repo_url' | 'repo_ref' =>
    name in known.value

  /** The values of other deployments, for the fields that no listing covers. */
  const ofOthers = computed<Partial<Record<FieldName, string[]>>>(() => ({
    graph_config_path: [sources.configPath(textAt('repo_url')) ?? []].flat(),
    listener_id: sources.listenerIds(),
    listener_config: sources.namespaces(textAt('listener_id')),
  }))
  function readOfOthers(name: FieldName): void {
    if (name === 'graph_config_path') void sources.readConfigPath(textAt('repo_url'))
    else if (name === 'listener_id' || name === 'listener_config') void sources.readListeners()
  }

  /** Enters the integration if only one is known, unless the operator may have left it empty on purpose. */
  function chooseIntegration(): void {
    const { path } = fields.integration_id
    const [only, ...others] = sources.integrations
    if (only === undefined || others.length > 0 || !isSent(entry().draft, 'integration_id')) return
    if (textAt('integration_id') === '' && !entry().touched.has(pathKey(path)))
      drafts.set(entry(), path, only)
  }

  return {
    integrationName: sources.integrationName,
    known,
    isPicked,
    openPicker,
    ofOthers,
    readOfOthers,
    chooseIntegration,
  }
}
