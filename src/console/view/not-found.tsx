export function NotFoundPage() {
  return (
    <>
      <h1>There is no such page</h1>
      <p>
        <code>{location.pathname}</code> does not exist. <a href="/imports">All imports</a> show everything there is.
      </p>
    </>
  );
}
