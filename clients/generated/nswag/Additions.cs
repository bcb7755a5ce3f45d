using System.Net.Http.Headers;
using Newtonsoft.Json;

namespace CatalogApi;

public partial class CatalogClient
{
    /// <summary>
    /// A JSON Merge Patch: members that are set are replaced. The generator takes the first media type of a body alone,
    /// which is JSON Patch; so this stands beside what it writes.
    /// </summary>
    public async Task<TEntity> MergePatchAsync<TPatch, TEntity>(string path, TPatch patch)
    {
        var content = new StringContent(JsonConvert.SerializeObject(patch, JsonSerializerSettings));
        content.Headers.ContentType = new MediaTypeHeaderValue("application/merge-patch+json");
        using var request = new HttpRequestMessage(HttpMethod.Patch, BaseUrl + path) { Content = content };
        using var response = await _httpClient.SendAsync(request);
        var text = await response.Content.ReadAsStringAsync();
        if (!response.IsSuccessStatusCode) throw new HttpRequestException($"{(int)response.StatusCode}: {text}");
        return JsonConvert.DeserializeObject<TEntity>(text, JsonSerializerSettings)!;
    }
}

public partial class ReferenceInput
{
    /// <summary>An entity by its fully qualified name; the generator knows the form with members alone.</summary>
    public static implicit operator ReferenceInput(string fullyQualifiedName) =>
        new() { AdditionalProperties = { ["fullyQualifiedName"] = fullyQualifiedName } };
}
