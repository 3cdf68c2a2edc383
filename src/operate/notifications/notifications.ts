import type { SecretVault } from '../../platform/secrets/secret-vault.ts';
import type { Config } from '../../platform/config/config.ts';
import type { ProxyFor } from '../../platform/config/schema/proxy.ts';
import type { Clock } from '../../core/time/clock.ts';
import { PeriodicTasks } from '../../core/time/periodic-tasks.ts';
import { eventOf } from './delivery-log.ts';
import type { DeliveryRow, EndpointRow, Result } from './delivery.ts';
import { fileEndpointId } from './webhooks/file-endpoints.ts';
import { secretsOf } from './webhooks/webhook-endpoints.ts';
import { outboxRetention } from './retention.ts';
import { Sender } from './sender.ts';
import { sendEmail } from './email/smtp.ts';
import type { Mailer } from './email/mailer.ts';
import { openEmail } from './email/post-email.ts';
import type { EmailWriter } from './fan-out.ts';
import { sendWebhook } from './webhooks/webhook.ts';
import { sendDigests } from './digests/send-digests.ts';
import { AlertStateWriter } from './alerts/alert-state-writer.ts';
import type { Upstreams } from '../../serving/routing/upstreams.ts';
import type { DeletionError } from '../../platform/store/periodic-deletion.ts';
import type { Store } from '../../platform/store/store.ts';
import type { Log } from '../telemetry/logs/log.ts';
import { logRepeated } from '../telemetry/logs/repeated-error.ts';
import { chargeWatch } from './alerts/charge-watch.ts';
import { refusalWatch } from './alerts/refusal-watch.ts';
import { upstreamWatch } from './alerts/upstream-watch.ts';

interface NotificationParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly vault: SecretVault;
  readonly log: Log;
  readonly config: () => Config;
  readonly mail: Pick<Mailer, 'postEvent' | 'settings' | 'post' | 'currency'>;
  readonly upstreams: () => Pick<Upstreams, 'named'>;
  readonly proxyFor: ProxyFor;
  /** Called if expired events and deliveries cannot be deleted. */
  readonly onDeletionError: DeletionError;
}

const recheckEveryMs = 30_000;
const digestsEveryMs = 60_000;

/** Events for people and programs: writes those that this process detects, and delivers all that are due. */
export function openNotifications(parts: NotificationParts) {
  const { store, clock, vault, log, config, mail, upstreams, proxyFor } = parts;
  const onError = logRepeated(log, clock, 'events could not be written or sent');
  const alertStates = new AlertStateWriter({ store, clock, onError });
  const refusals = refusalWatch({ store, clock, alertStates });
  const health = upstreamWatch({ store, clock, upstreams, alertStates });
  const charges = chargeWatch({ clock, alertStates });
  const tasks = new PeriodicTasks(clock, onError);
  const keepMs = (): number => config().webhooks.retention;
  const retention = outboxRetention({ store, keepMs, onError: parts.onDeletionError });

  async function sendMail(delivery: DeliveryRow): Promise<Result> {
    const email = openEmail(delivery, vault);
    // Encrypted with an unknown secret: it can never be read.
    if (!email) return { fault: 'no-secret', isFinal: true };
    const settings = config().mail;
    return settings ? sendEmail(email, settings, { clock, id: delivery.id }) : { fault: 'unreachable' };
  }

  async function send(endpoint: EndpointRow, delivery: DeliveryRow): Promise<Result> {
    if (endpoint.channel === 'mail') return sendMail(delivery);
    const event = await eventOf(store.db, delivery.event_id);
    if (!event) return { fault: 'status', isFinal: true };
    const terms = endpoint.source === 'file' ? fileEndpointTerms(endpoint, config()) : storedEndpointTerms(endpoint);
    const message = { url: endpoint.url, event, currency: config().currency, attempt: delivery.attempts + 1 };
    return sendWebhook({ ...message, ...terms }, { clock, proxyFor });
  }

  function storedEndpointTerms(endpoint: EndpointRow) {
    const { webhooks, egress } = config();
    const allow = endpoint.account_id === null ? egress.allow : webhooks.allow;
    return { secrets: secretsOf(endpoint, vault, clock.now()), allow };
  }

  const writeEmails: EmailWriter = (tx, event) => mail.postEvent(tx, event);
  const sender = new Sender({ store, clock, send, writeEmails, random: Math.random, onError });
  return {
    served: refusals.served,
    healthChanged: health.changed,
    chargeRefused: charges.refused,
    start() {
      sender.start();
      retention.start();
      tasks.every(recheckEveryMs, () => health.recheck());
      tasks.every(digestsEveryMs, () => sendDigests({ store, mail }));
    },
    async stop() {
      tasks.stop();
      retention.stop();
      await Promise.all([sender.stop(), alertStates.stop()]);
    },
  };
}

/** The secret is only in the file. A process with another file has none, and leaves the delivery to others. */
function fileEndpointTerms({ id }: EndpointRow, { webhooks }: Config) {
  const own = webhooks.endpoints.find(({ name }) => fileEndpointId(name) === id);
  return { secrets: own ? [own.secret] : [], allow: undefined };
}
