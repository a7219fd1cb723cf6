package plainjson_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	kjson "sigs.k8s.io/json"

	"github.com/slipway-dev/slipway/internal/plainjson"
)

// TestDecode: what readers of JSON disagree on is an error with its place.
func TestDecode(t *testing.T) {
	for text, says := range map[string]string{
		`{"manifests":[{"size":1}]}`:                                        "",
		`{"annotations":{"a":"b","A":"c"},"Other":1,"other":2}`:             "", // two keys of a map, and none of ours
		`{"manifests":[],"manifests":[]}`:                                   `the key "manifests" is there twice, at byte 27`,
		`{"manifests":[],"manifest\u0073":[]}`:                              `the key "manifests" is there twice`,
		`{"Manifests":[]}`:                                                  `"Manifests" at byte 12 differs from "manifests" by case`,
		`{"manife\u017ft\u017f":[]}`:                                        `differs from "manifests" by case`,
		`{"manifests":[{"digest":"","Digest":""}]}`:                         `"Digest" at byte 35 differs from "digest" by case`,
		`{"manifests":[{"platform":{"OS":"linux"}}]}`:                       `"OS" at byte 31 differs from "os" by case`,
		`{"annotations":{"a":"b","a":"c"}}`:                                 `"a" is there twice`,
		`{"unknown":{"a":1,"a":2}}`:                                         `"a" is there twice`,
		`{"unknown":[[{"a":1},{"a":1,"a":2}]]}`:                             `"a" is there twice`,
		"{\"mediaType\":\"\xff\"}":                                          "it is not UTF-8",
		`{"mediaType":"\ud83d"}`:                                            "half of a surrogate pair is at byte 14",
		`{"mediaType":"\ude00\ud83d"}`:                                      "half of a surrogate pair",
		`{"annotations":{"a":"\ud83d\ude00","b":"\\ud83d"}}`:                "",
		"\n{ \"a\" :\t[ -1e3 , \"\\\"]\" ] ,\r\"b\" : null , \"a\" : {} } ": `"a" is there twice, at byte 44`,
		`{} {}`:                        "more than one value is in it, from byte 3 on",
		`{"schemaVersion":2}]`:         "it is not JSON, from byte 20 on",
		`{"schemaVersion":`:            "it ends in the middle, after 17 bytes",
		"\ufeff{}":                     "it begins with a byte order mark: save it as UTF-8 without one",
		`{"manifests":[{"size":"1"}]}`: "manifests.size has a value of a wrong type, string",
		`[]`:                           "it has a value of a wrong type, array",
		strings.Repeat("[", 20_000):    "nests more than 10000 levels deep",
	} {
		err := plainjson.Decode([]byte(text), &v1.IndexManifest{})
		if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%.60s: %v, want %q", text, err, says)
		}
	}
}

// FuzzDecode: what is accepted, encoding/json and a reader that takes the first of two keys accept
// with the same values, whatever their case.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{
		`{"schemaVersion":2,"mediaType":"a","manifests":[{"size":1,"digest":"","platform":{"os":"linux"},"annotations":{"a":"b"}}]}`,
		`{"Manifests":[],"manifests":[{}]}`, `{"annotations":{"a":"b","A":"c"}}`, `{"unknown":{"a":1,"a":2}}`,
		`{"mediaType":"\ud83d"}`, "null", "[1e400]",
	} {
		f.Add([]byte(text))
	}
	type document struct {
		MediaType string                   `json:"mediaType"`
		Manifests []v1.Descriptor          `json:"manifests"`
		Values    map[string][]json.Number `json:"annotations"`
		Platform  struct {
			OS string `json:"os"`
		} `json:"platform"`
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var strict, last document
		if plainjson.Decode(text, &strict) != nil {
			return
		}
		if err := json.Unmarshal(text, &last); err != nil || !reflect.DeepEqual(strict, last) {
			t.Errorf("encoding/json reads %+v, %v, not %+v", last, err, strict)
		}
		again, err := json.Marshal(firstOf(t, text))
		if err != nil {
			t.Fatal(err)
		}
		var other document
		if err := kjson.UnmarshalCaseSensitivePreserveInts(again, &other); err != nil ||
			!reflect.DeepEqual(strict, other) {
			t.Errorf("the first of each key, by its case, gives %+v, %v, not %+v", other, err, strict)
		}
	})
}
