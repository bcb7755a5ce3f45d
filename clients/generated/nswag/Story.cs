using System.Net.Http.Headers;
using CatalogApi;

var (url, token) = (args[0], args[1]);
using var http = new HttpClient();
http.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", token);
var catalog = new CatalogClient(http) { BaseUrl = $"{url}/api/" };
const string name = "nswag";

var made = await catalog.Create_glossaryAsync(new CreateGlossary { Name = name, Description = "First." });
Same(made.Description, "First.");

var read = await catalog.Get_glossary_by_nameAsync(name);
Same(read.Id, made.Id);

var merged = await catalog.MergePatchAsync<GlossaryPatch, Glossary>(
    $"v1/glossaries/{made.Id}", new GlossaryPatch { Description = "Second." });
Same((merged.Description, merged.Version), ("Second.", 0.2));

var patched = await catalog.Patch_glossaryAsync(made.Id, [
    new JsonPatchOperation { Op = JsonPatchOperationOp.Add, Path = "/displayName", Value = "A name" },
]);
Same(patched.DisplayName, "A name");

foreach (var term in new[] { "a", "b", "c" })
    await catalog.Create_glossaryTermAsync(new CreateGlossaryTerm { Name = term, Glossary = name });
var names = new List<string>();
string after = null;
do
{
    var page = await catalog.List_glossaryTermAsync(glossary: name, limit: 2, after: after);
    names.AddRange(page.Data.Select(term => term.Name));
    after = page.Paging.After;
} while (after != null);
Same(string.Join(",", names), "a,b,c");

try
{
    await catalog.Create_glossaryAsync(new CreateGlossary { Name = name });
    throw new Exception("A second glossary of the name was made.");
}
catch (ApiException<Problem> refused)
{
    Same(refused.Result.Code, ProblemCode.ENTITY_ALREADY_EXISTS);
}

var deleted = await catalog.Delete_glossaryAsync(made.Id, recursive: true);
Same(deleted.Deleted, true);
try
{
    await catalog.Delete_glossaryAsync(made.Id, recursive: true, hardDelete: true);
}
catch (ApiException gone)
{
    // Of several good answers the generator knows the first alone: 204, deleted for good, is an exception for it.
    Same(gone.StatusCode, 204);
}

var events = await catalog.Pull_eventsAsync(entityId: made.Id, limit: 1000);
Same(string.Join(",", events.Data.Select(each => each.Type.Split('.')[2])), "Created,Updated,Updated,SoftDeleted,HardDeleted");
Console.WriteLine("the story is true");

static void Same<T>(T seen, T wanted)
{
    if (!EqualityComparer<T>.Default.Equals(seen, wanted)) throw new Exception($"{seen} is not {wanted}.");
}
