export const files = {
  log: 'log.db',
  logIdentity: 'log.id',
  integrity: 'integrity.checkpoint',
  readModels: 'readmodels.db',
  webhooks: 'webhooks.db',
  personalKeys: 'personal.db',
  jwtSecret: 'jwt.secret',
  sealingKey: 'sealing.key',
  auditKey: 'audit.key',
  auditLastSigned: 'audit.signed',
  auditCosigned: 'audit.cosigned',
} as const

/** Files with the keys of a catalog, which nothing can make again. */
export const keyFiles = [files.jwtSecret, files.sealingKey, files.auditKey] as const
