/** Programs that change things far away: containers, clusters, clouds, databases. Must not know other programs. */
import { sqlClauses } from '../../sql/clauses.js';
import { type Effect, effect } from '../effect.js';
import { has, readLine, valuesOf } from '../words.js';
import type { Rules, Use } from './use.js';

/** The first words that are no options: `kubectl delete pod x`. */
function verbsOf(use: Use): string[] {
  return [
    ...readLine(use.args, [
      '-n',
      '--namespace',
      '-f',
      '--context',
      '--profile',
      '--region',
      '--project',
      '-c',
      '-H',
    ]).operands,
  ];
}

function container(use: Use): Effect[] {
  const verbs = verbsOf(use);
  const line = verbs.join(' ');
  const removed = removedBy(use, verbs);
  if (removed !== undefined) return removed;
  if (/^(?:compose )?(?:stop|kill|restart)\b/.test(line)) return [effect('halts', line.replace(/^\S+ /, ''))];
  if (/^(?:image )?push\b/.test(line)) return [effect('publishes', verbs.at(-1) ?? '', 'high')];
  return [];
}

/** `docker rm`, `docker volume prune`, `docker compose down`. */
function removedBy(use: Use, verbs: readonly string[]): Effect[] | undefined {
  const rest = verbs[0] === 'compose' ? verbs.slice(1) : verbs;
  const at = rest.findIndex((word) => /^(?:rm|rmi|prune|down)$/.test(word));
  if (at === -1 || at > 1) return undefined;
  const kind = at === 1 ? (rest[0] ?? '') : rest[0] === 'rmi' ? 'image' : 'container';
  const names = use.args
    .slice(use.args.indexOf(rest[at] ?? '') + 1)
    .filter((word) => !word.startsWith('-'))
    .join(', ');
  const volumes = has(use.args, '-v', '--volumes') || kind === 'volume';
  if (rest[at] === 'down') {
    const stopped = effect('halts', `the services${names === '' ? ' of this directory' : ` ${names}`}`);
    return volumes ? [effect('deletes', 'their volumes, with all data', 'high'), stopped] : [stopped];
  }
  if (rest[at] === 'prune') {
    const things = kind === 'system' || kind === 'container' ? 'containers, networks, images' : `${kind}s`;
    return [effect('deletes', `unused ${things}${volumes && kind !== 'volume' ? ', volumes' : ''}`, 'high')];
  }
  return [effect('deletes', `${kind} ${names}`, volumes ? 'high' : 'normal')];
}

function cluster(use: Use): Effect[] {
  const [verb = '', ...rest] = verbsOf(use);
  const what = rest.join(' ') || valuesOf(use.args, '-f', '--filename').join(', ') || 'the cluster';
  if (verb === 'drain') return [effect('halts', `what runs on ${what}`, 'high')];
  if (/^(?:delete|uninstall|del)$/.test(verb)) return [effect('destroys', what, 'high')];
  if (
    /^(?:apply|create|patch|replace|scale|rollout|set|label|annotate|taint|cordon|edit|install|upgrade|rollback)$/.test(
      verb,
    )
  ) {
    return [effect('changes', `${what} (${use.program} ${verb})`, 'high')];
  }
  return verb === 'get' && /^secrets?\b/.test(what) ? [effect('reads_secrets', what, 'high')] : [];
}

function infrastructure(use: Use): Effect[] {
  const [verb = ''] = verbsOf(use);
  if (verb === 'destroy' || (verb === 'apply' && has(use.args, '-destroy')))
    return [effect('destroys', 'what this directory describes', 'high')];
  const blind = has(use.args, '-auto-approve', '--auto-approve', '--yes', '-y') ? ' without asking' : '';
  if (/^(?:apply|up|deploy|import|taint)$/.test(verb))
    return [effect('changes', `infrastructure (${use.program} ${verb})${blind}`, 'high')];
  return verb === 'state' && use.args.includes('rm') ? [effect('discards', 'terraform state', 'high')] : [];
}

const CLOUD_DELETES = /(?:^|[ -])(?:delete|destroy|terminate|rm|rb|remove|purge|deprovision)(?:[ -]|$)/;
const CLOUD_CHANGES =
  /(?:^|[ -])(?:create|put|update|modify|set|add|attach|detach|deploy|cp|mv|sync|run|start|stop|import|enable|disable|promote)(?:[ -]|$)/;
const CLOUD_SECRETS =
  /get-secret-value|secrets? versions access|get-parameter.*with-decryption|print-access-token|get-session-token/;

function cloud(use: Use): Effect[] {
  const line = verbsOf(use).join(' ');
  const head = line.split(' ').slice(0, 3).join(' ');
  const whole = `${use.program} ${line}`;
  if (CLOUD_SECRETS.test(use.args.join(' '))) return [effect('reads_secrets', whole, 'high')];
  if (CLOUD_DELETES.test(head)) return [effect('destroys', destroyedBy(use.program, line), 'high')];
  return CLOUD_CHANGES.test(head) ? [effect('changes', whole, 'high')] : [];
}

/** The thing first: `s3://backups (aws s3 rm)`. */
function destroyedBy(program: string, line: string): string {
  const words = line.split(' ');
  const at = words.findIndex((word) => CLOUD_DELETES.test(word));
  const things = words.slice(at + 1).join(' ');
  return things === '' ? `${program} ${line}` : `${things} (${program} ${words.slice(0, at + 1).join(' ')})`;
}

/** Statements given to a database's command line, in the words of the SQL tools. */
function database(use: Use): Effect[] {
  const place = valuesOf(use.args, '-d', '--dbname', '-D', '--database').at(-1) ?? use.program;
  const files = valuesOf(use.args, '-f', '--file').map((file) => effect('changes', `${place} by ${file}`));
  const statements = [
    ...valuesOf(use.args, '-c', '--command', '-e', '--execute', '--eval'),
    ...positional(use),
  ];
  const clauses = statements.flatMap((text) => sqlClauses(text, use.program));
  return [...files, ...clauses.map(({ words, level }) => effect('runs_sql', `${words} (${place})`, level))];
}

function positional(use: Use): string[] {
  return use.program === 'sqlite3' || use.program === 'duckdb' ? readLine(use.args).operands.slice(1) : [];
}

function dropDatabase(use: Use): Effect[] {
  return [
    effect('destroys', `database ${readLine(use.args, ['-h', '-U', '-p']).operands.join(' ')}`, 'high'),
  ];
}

function redis(use: Use): Effect[] {
  const line = readLine(use.args, ['-h', '-p', '-a', '-n', '-u']).operands;
  const verb = (line[0] ?? '').toUpperCase();
  if (verb.startsWith('FLUSH')) return [effect('destroys', `every key (${verb})`, 'high')];
  return /^(?:DEL|UNLINK|SET|HSET|CONFIG|SHUTDOWN|EXPIRE)/.test(verb)
    ? [effect('changes', `redis: ${line.join(' ')}`)]
    : [];
}

function ansible(use: Use): Effect[] {
  return has(use.args, '--check', '--list-hosts')
    ? []
    : [effect('changes', `machines (${use.program} ${verbsOf(use).join(' ')})`, 'high')];
}

export const CLOUD_RULES: Rules = [
  ['docker podman docker-compose nerdctl', container],
  ['kubectl oc helm k9s', cluster],
  ['terraform tofu pulumi cdk terragrunt sls', infrastructure],
  ['aws gcloud az doctl flyctl fly heroku vercel netlify wrangler gsutil s3cmd mc', cloud],
  ['psql mysql mariadb sqlite3 duckdb mongosh mongo clickhouse-client sqlcmd', database],
  ['dropdb dropuser mysqladmin', dropDatabase],
  ['redis-cli valkey-cli', redis],
  ['ansible ansible-playbook', ansible],
];
