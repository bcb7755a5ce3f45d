// A client of the metadata catalog with nothing but the class library of .NET 10.
//
//     CATALOG_URL=http://127.0.0.1:8585 CATALOG_TOKEN=… dotnet run Catalog.cs
//
// It makes a service, changes it, asks what it was, lists, and follows the changes to their end. The class Catalog is what to take along.
#:property PublishAot=false
using System.Net;
using System.Net.Http.Headers;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;

var token = Environment.GetEnvironmentVariable("CATALOG_TOKEN") ?? throw new Exception("CATALOG_TOKEN is not set.");
var catalog = new Catalog(Environment.GetEnvironmentVariable("CATALOG_URL") ?? "http://127.0.0.1:8585", token);
const string services = "/v1/services/databaseServices";

var made = await catalog.Call(HttpMethod.Put, services,
    new JsonObject { ["name"] = "csharp", ["serviceType"] = "Postgres", ["description"] = "First." });
var at = $"{services}/{made!["id"]}";
var changed = await catalog.Call(HttpMethod.Patch, at,
    new JsonObject { ["description"] = "Second." }, "application/merge-patch+json");
Console.WriteLine($"now: {changed!["description"]} version {changed["version"]}");

var before = await catalog.Call(HttpMethod.Get, $"{at}?asOf=v0.1");
Console.WriteLine($"before: {before!["description"]}");
await foreach (var service in catalog.List($"{services}?limit=100")) Console.WriteLine($"service: {service["name"]}");

try
{
    await catalog.Call(HttpMethod.Post, services, new JsonObject { ["name"] = "csharp", ["colour"] = "green" });
}
catch (Problem problem)
{
    Console.WriteLine($"refused: {(int)problem.Status} {problem.Message}");
}

await foreach (var each in catalog.Events("checkpoint", $"entityId={made["id"]}"))
    Console.WriteLine($"event: {each["position"]} {each["type"]} {each["subject"]} by {each["actor"]}");

/// <summary>What the catalog says when it does not do as asked (RFC 9457).</summary>
class Problem(HttpStatusCode status, string message) : Exception(message)
{
    public HttpStatusCode Status => status;
}

class Catalog(string url, string token)
{
    private const int Retries = 5;
    private readonly HttpClient http = new();

    /// <summary>One request; what fails or is refused for the moment is sent again when sending it twice does no harm.</summary>
    public async Task<JsonNode?> Call(
        HttpMethod method, string path, JsonNode? body = null, string contentType = "application/json")
    {
        for (var attempt = 0; ; attempt++)
        {
            using var request = new HttpRequestMessage(method, $"{url.TrimEnd('/')}/api{path}");
            request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", token);
            if (body != null) request.Content = new StringContent(body.ToJsonString(), Encoding.UTF8, contentType);
            var repeatable = method == HttpMethod.Get || method == HttpMethod.Put;
            var pause = TimeSpan.FromSeconds(Math.Pow(2, attempt) / 4);
            try
            {
                using var response = await http.SendAsync(request);
                var text = await response.Content.ReadAsStringAsync();
                if (response.IsSuccessStatusCode) return text == "" ? null : JsonNode.Parse(text);
                var status = response.StatusCode;
                var again = status == HttpStatusCode.TooManyRequests || (repeatable && (int)status is 502 or 503 or 504);
                if (!again || attempt == Retries) throw new Problem(status, Message(text));
                pause = response.Headers.RetryAfter?.Delta ?? pause;
            }
            catch (HttpRequestException) when (repeatable && attempt < Retries) { }
            await Task.Delay(pause);
        }
    }

    /// <summary>Every item of a list, page by page. The path has a query already.</summary>
    public async IAsyncEnumerable<JsonNode> List(string path)
    {
        for (string? after = ""; after != null;)
        {
            var page = await Call(HttpMethod.Get, after == "" ? path : $"{path}&after={Uri.EscapeDataString(after)}");
            foreach (var item in page!["data"]!.AsArray()) yield return item!;
            after = page["paging"]!["after"]?.ToString();
        }
    }

    /// <summary>
    /// Every event after the place in the file up to the end of the log, in order; the place is saved after a page is dealt
    /// with. With wait=25 in the query, and without the return, it waits at the end for more.
    /// </summary>
    public async IAsyncEnumerable<JsonNode> Events(string checkpoint, string query)
    {
        while (true)
        {
            var after = File.Exists(checkpoint) ? File.ReadAllText(checkpoint) : null;
            var page = await Call(HttpMethod.Get, $"/v1/events?{query}{(after == null ? "" : $"&after={after}")}");
            foreach (var item in page!["data"]!.AsArray()) yield return item!;
            var mark = page["paging"]!["mark"]!.ToString();
            if (mark == after) yield break;
            File.WriteAllText($"{checkpoint}.new", mark);
            File.Move($"{checkpoint}.new", checkpoint, overwrite: true);
        }
    }

    private static string Message(string text)
    {
        try
        {
            var problem = JsonNode.Parse(text)!;
            var errors = problem["errors"]?.AsArray().Select(each => $"\n  {each!["path"]} {each["message"]}") ?? [];
            return problem["message"] + string.Concat(errors);
        }
        catch (JsonException)
        {
            return text;
        }
    }
}
