import { AwsV4Signer } from 'aws4fetch';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { awsSignature } from './aws-signature.ts';

const keys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const day = Date.parse('2015-08-30T12:36:00Z');

describe('the signature of a request', () => {
  // From the test suite that AWS publishes for the signature.
  test.each([
    ['/', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
    ['/?Param1=value1', '28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11'],
  ])('of the AWS test suite to %s is the published one', (target, signature) => {
    const request = { host: 'example.amazonaws.com', target, body: '' };
    expect(awsSignature(request, keys, { region: 'us-east-1', service: 'service' }, day)).toEqual({
      'x-amz-date': '20150830T123600Z',
      authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
    });
  });

  test('is that of another implementation, for any model, body and session', async () => {
    const models = fc
      .oneof(
        fc.constantFrom('us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'arn:aws:bedrock:us-east-1:1:profile/a1'),
        fc.string({ minLength: 1, unit: fc.constantFrom(..."aZ0-._~:/@!'()* é") }),
      )
      // The other implementation takes a URL, which has no such segments.
      .filter((name) => name !== '.' && name !== '..');
    const bodies = fc.string({ unit: 'binary' });
    const sessions = fc.option(fc.stringMatching(/^[A-Za-z0-9+/=]{1,40}$/), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(models, bodies, sessions, async (model, body, sessionToken) => {
        const target = `/model/${encodeURIComponent(model)}/invoke`;
        const host = 'bedrock-runtime.eu-west-1.amazonaws.com';
        const credentials = { ...keys, sessionToken };
        const signed = awsSignature(
          { host, target, body },
          credentials,
          { region: 'eu-west-1', service: 'bedrock' },
          day,
        );
        const { headers } = await new AwsV4Signer({
          url: `https://${host}${target}`,
          method: 'POST',
          body,
          ...credentials,
          region: 'eu-west-1',
          service: 'bedrock',
          datetime: '20150830T123600Z',
        }).sign();
        expect(signed['authorization']).toBe(headers.get('authorization'));
        expect(signed['x-amz-security-token'] ?? null).toBe(headers.get('x-amz-security-token'));
      }),
    );
  });

  test('covers the bytes of a binary body', () => {
    const to = { host: 'h', target: '/' };
    const scope = { region: 'r', service: 's' };
    expect(awsSignature({ ...to, body: Buffer.from('é') }, keys, scope, day)).toEqual(
      awsSignature({ ...to, body: 'é' }, keys, scope, day),
    );
  });
});
