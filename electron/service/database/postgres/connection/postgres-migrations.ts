/**
 * The schema, as steps from one version to the next. Released steps never change: an older database runs the steps that
 * it lacks.
 *
 * - All of it is in a schema of its own, so that it can share a database with something else.
 * - A name is unique by its hash, because an index takes no text of 1,000 characters.
 * - `deployments.document` is the deployment's answer as JSON text, without the three members that change when its
 *   provisioning ends: they are columns. JSON stays text, since `jsonb` refuses some of what a client may send.
 * - `deployments.ready_at` is when provisioning ends, or the next revision is deployed; null afterwards and for sample
 *   data. `deployments.gone_at` is when it is deleted. Its row keeps its place in the list for a while afterwards.
 * - `revisions.number` counts a deployment's revisions. `starts_at`, `ends_at` and `interrupted_at` are in
 *   milliseconds (`revision-times.ts`). An instance of the version before leaves them out.
 * - `api_keys` keeps revoked keys: they tell who a name was, and that the service asks for keys.
 * - `tenant_id` is null for the tenant of the installation, also where an instance of an earlier version inserts. A name's
 *   hash is that of what is unique of it (`uniqueName`).
 * - `audit` is only added to. What is older than a year may be removed, and what is before the latest million.
 * - Values of secrets aren't stored, because this service runs nothing that needs them.
 */
export const migrations = [
  `
  create table slipway.installation (
    only_row boolean primary key default true check (only_row),
    mode text not null,
    tenant_id uuid not null
  );

  create table slipway.tracing_projects (
    name_hash bytea primary key,
    name text not null,
    created_at timestamptz not null
  );

  create table slipway.deployments (
    sequence bigint generated always as identity primary key,
    id uuid not null unique,
    name_hash bytea not null unique references slipway.tracing_projects (name_hash),
    search_name text not null,
    status text not null,
    remote_reconciled boolean not null,
    image_version text,
    deployment_type text,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    ready_at timestamptz,
    latest_revision_id uuid,
    active_revision_id uuid,
    document text not null
  );

  create index deployments_newest_first on slipway.deployments (created_at desc, sequence desc);

  create index deployments_due on slipway.deployments (ready_at) where ready_at is not null;

  create table slipway.revisions (
    deployment_sequence bigint not null references slipway.deployments (sequence),
    id uuid not null,
    created_at timestamptz not null,
    source_revision_config text not null,
    primary key (deployment_sequence, id)
  );

  create table slipway.deployment_tags (
    deployment_sequence bigint not null references slipway.deployments (sequence),
    tag_value_id uuid not null,
    primary key (deployment_sequence, tag_value_id)
  );

  create table slipway.repositories (
    integration_id uuid not null,
    id bigint not null,
    document text not null,
    primary key (integration_id, id)
  );
  `,
  `
  create table slipway.api_keys (
    sequence bigint generated always as identity primary key,
    id text not null unique,
    name text not null,
    hash bytea not null,
    role text not null,
    created_at timestamptz not null,
    expires_at timestamptz,
    revoked_at timestamptz
  );

  create unique index api_keys_in_force on slipway.api_keys (name) where revoked_at is null;
  `,
  `
  alter table slipway.api_keys add column tenant_id uuid;
  alter table slipway.deployments add column tenant_id uuid;

  create index deployments_of_installation on slipway.deployments (created_at desc, sequence desc)
  where tenant_id is null;

  create index deployments_of_tenant on slipway.deployments (tenant_id, created_at desc, sequence desc)
  where tenant_id is not null;
  `,
  `
  create table slipway.audit (
    sequence bigint generated always as identity primary key,
    at timestamptz not null,
    request_id text,
    by text not null,
    tenant_id uuid,
    action text not null,
    name text,
    id uuid,
    outcome text not null
  );

  create function slipway.keep_audit() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' then
      if old.at < now() - interval '365 days'
        or old.sequence <= (select max(sequence) - 1000000 from slipway.audit) then
        return old;
      end if;
    end if;
    raise exception 'Entries of the audit are never changed, and kept for a year.';
  end $$;

  create trigger audit_is_kept before update or delete on slipway.audit
  for each row execute function slipway.keep_audit();

  create trigger audit_is_not_emptied before truncate on slipway.audit
  for each statement execute function slipway.keep_audit();
  `,
  `
  alter table slipway.deployments add column gone_at timestamptz;
  create index deployments_gone on slipway.deployments (gone_at) where gone_at is not null;

  alter table slipway.revisions
    add column number integer not null default 1,
    add column starts_at bigint,
    add column ends_at bigint,
    add column interrupted_at bigint;
  create index revisions_oldest_first on slipway.revisions (deployment_sequence, number);

  update slipway.revisions set starts_at = round(extract(epoch from revisions.created_at) * 1000),
    ends_at = round(extract(epoch from ready_at) * 1000)
    from slipway.deployments where sequence = deployment_sequence and ready_at is not null;
  insert into slipway.revisions (deployment_sequence, id, number, created_at, source_revision_config)
    select sequence, active_revision_id, 0, created_at,
           document::json ->> 'source_revision_config'
    from slipway.deployments where active_revision_id is not null
    on conflict do nothing;
  `,
  `
  update slipway.revisions set starts_at = 253402300799999, ends_at = 253402300799999
  from slipway.deployments
  where sequence = deployment_sequence and ends_at is null and number = 1
    and ready_at is null and revisions.id is distinct from active_revision_id;
  `,
  `
  alter table slipway.repositories add column if not exists refs jsonb;
  `,
  `
  create index if not exists repositories_by_url on slipway.repositories using hash ((document::json ->> 'url'));
  `,
]
