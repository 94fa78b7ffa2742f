/**
 * The database's schema, as steps from one `user_version` to the next. Released steps never change: an older database
 * runs the steps that it lacks.
 *
 * - `deployments.document` is the deployment's answer as JSON text. A page is built from these texts. The other columns
 *   are for filtering and sorting.
 * - `deployments_newest_first` has every filtered column. Filtering and skipping to an offset read only the index.
 * - `deployments.ready_at` is when provisioning ends, or the next revision is deployed; null afterwards and for sample
 *   data. `deployments.gone_at` is when it is deleted. Its row keeps its place in the list for a while afterwards.
 * - `revisions.number` counts a deployment's revisions. `starts_at`, `ends_at` and `interrupted_at` are in
 *   milliseconds (`revision-times.ts`); without an end, it has always been there.
 * - `revisions_times` has what tells which revisions are pending. In the table these columns come after the config, which
 *   may be large and would be read on the way to them.
 * - `repositories_by_url` finds the repository of a creation.
 * - `api_keys` keeps revoked keys: they tell who a name was, and that the service asks for keys.
 * - `tenant_id` is null for the tenant of the installation. `deployments.name` and `tracing_projects.name` are what is
 *   unique of a name (`uniqueName`).
 * - `audit` is only added to. What is older than a year may be removed, and what is before the latest million.
 * - Values of secrets aren't stored, because this service runs nothing that needs them.
 */
export const migrations = [
  `
  create table installation (
    only_row integer primary key check (only_row = 1),
    mode text not null,
    tenant_id text not null
  ) strict;

  create table tracing_projects (
    name text primary key,
    created_at text not null
  ) strict, without rowid;

  create table deployments (
    sequence integer primary key,
    id text not null unique,
    name text not null unique references tracing_projects (name),
    search_name text not null,
    status text not null,
    remote_reconciled integer not null,
    image_version text,
    deployment_type text,
    created_at text not null,
    ready_at text,
    document text not null
  ) strict;

  create index deployments_newest_first on deployments (
    created_at desc, sequence desc,
    search_name, status, remote_reconciled, image_version, deployment_type
  );

  create index deployments_due on deployments (ready_at) where ready_at is not null;

  create table revisions (
    deployment_sequence integer not null references deployments (sequence),
    id text not null,
    created_at text not null,
    source_revision_config text not null,
    primary key (deployment_sequence, id)
  ) strict, without rowid;

  create table deployment_tags (
    deployment_sequence integer not null references deployments (sequence),
    tag_value_id text not null,
    primary key (deployment_sequence, tag_value_id)
  ) strict, without rowid;

  create table repositories (
    integration_id text not null,
    id integer not null,
    document text not null,
    primary key (integration_id, id)
  ) strict, without rowid;
  `,
  `
  create table api_keys (
    sequence integer primary key,
    id text not null unique,
    name text not null,
    hash blob not null,
    role text not null,
    created_at text not null,
    expires_at text,
    revoked_at text
  ) strict;

  create unique index api_keys_in_force on api_keys (name) where revoked_at is null;
  `,
  `
  alter table api_keys add column tenant_id text;
  alter table deployments add column tenant_id text;

  drop index deployments_newest_first;

  create index deployments_newest_first on deployments (
    tenant_id, created_at desc, sequence desc,
    search_name, status, remote_reconciled, image_version, deployment_type
  );
  `,
  `
  create table audit (
    sequence integer primary key autoincrement,
    at text not null,
    request_id text,
    by text not null,
    tenant_id text,
    action text not null,
    name text,
    id text,
    outcome text not null
  ) strict;

  create trigger audit_stays before update on audit
  begin
    select raise(abort, 'Entries of the audit are never changed.');
  end;

  create trigger audit_is_kept before delete on audit
  when old.at >= strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-365 days')
    and old.sequence > (select max(sequence) - 1000000 from audit)
  begin
    select raise(abort, 'Entries of the audit are kept for a year.');
  end;
  `,
  `
  alter table deployments add column gone_at text;
  create index deployments_gone on deployments (gone_at) where gone_at is not null;

  alter table revisions add column number integer not null default 1;
  alter table revisions add column starts_at integer;
  alter table revisions add column ends_at integer;
  alter table revisions add column interrupted_at integer;
  create index revisions_oldest_first on revisions (deployment_sequence, number);

  update revisions set
    starts_at = cast(round((julianday(revisions.created_at) - 2440587.5) * 86400000) as integer),
    ends_at = cast(round((julianday(ready_at) - 2440587.5) * 86400000) as integer)
    from deployments where sequence = deployment_sequence and ready_at is not null;
  insert into revisions (deployment_sequence, id, number, created_at, source_revision_config)
    select sequence, json_extract(document, '$.active_revision_id'), 0, created_at,
           json_extract(document, '$.source_revision_config')
    from deployments where json_extract(document, '$.active_revision_id') is not null
    on conflict do nothing;
  `,
  `
  update revisions set starts_at = 253402300799999, ends_at = 253402300799999
  where ends_at is null and number = 1 and id is not (
    select json_extract(document, '$.active_revision_id') from deployments where sequence = deployment_sequence
  );
  `,
  `
  drop index revisions_oldest_first;
  create index revisions_times on revisions (deployment_sequence, number, starts_at, ends_at, interrupted_at);
  `,
  `
  alter table repositories add column refs text;
  `,
  `
  create index repositories_by_url on repositories (integration_id, json_extract(document, '$.url'));
  `,
]
