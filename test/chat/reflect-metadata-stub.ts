/** The certificate library's container asks for the Reflect metadata API when it is loaded; nothing of it is needed here. */
Object.assign(Reflect, {
  getMetadata: () => undefined,
  getOwnMetadata: () => undefined,
  defineMetadata: () => undefined,
  hasOwnMetadata: () => false,
  metadata: () => () => undefined,
});
