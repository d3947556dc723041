// The official SDK of Go. Arguments: an endpoint, another one, and where the person sits.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

const callback = "http://127.0.0.1:4711/callback"

var asked int

func askPerson(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	asked++
	answer, err := http.Get(os.Args[3] + "?url=" + url.QueryEscape(args.URL))
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%d %s %v", answer.StatusCode, body, err)
	}
	var found struct{ Code, State, Iss string }
	err = json.Unmarshal(body, &found)
	return &auth.AuthorizationResult{Code: found.Code, State: found.State, Iss: found.Iss}, err
}

// Keeps the token that came last, so that it can be made useless.
type kept struct {
	config *oauth2.Config
	token  *oauth2.Token
}

func (k *kept) Token() (*oauth2.Token, error) {
	token, err := k.config.TokenSource(context.Background(), k.token).Token()
	if err == nil {
		k.token = token
	}
	return token, err
}

var tokens *kept

func handlerOf(initial oauth2.TokenSource) (auth.OAuthHandler, error) {
	return auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		RedirectURL:              callback,
		AuthorizationCodeFetcher: askPerson,
		InitialTokenSource:       initial,
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{
			Metadata: &oauthex.ClientRegistrationMetadata{
				ClientName:   "Agent",
				RedirectURIs: []string{callback},
				GrantTypes:   []string{"authorization_code", "refresh_token"},
			},
		},
		NewTokenSource: func(_ context.Context, config *oauth2.Config, token *oauth2.Token) (oauth2.TokenSource, error) {
			tokens = &kept{config, token}
			return tokens, nil
		},
	})
}

func listTools(endpoint string, handler auth.OAuthHandler) (int, error) {
	ctx := context.Background()
	client := mcp.NewClient(&mcp.Implementation{Name: "go-client", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: endpoint, OAuthHandler: handler}, nil)
	if err != nil {
		return 0, err
	}
	defer session.Close()
	found, err := session.ListTools(ctx, nil)
	if err != nil {
		return 0, err
	}
	return len(found.Tools), nil
}

func tell(line map[string]any) {
	line["asked"] = asked
	_ = json.NewEncoder(os.Stdout).Encode(line)
}

func run() error {
	handler, err := handlerOf(nil)
	if err != nil {
		return err
	}
	step := func(name, endpoint string) error {
		tools, err := listTools(endpoint, handler)
		if err == nil {
			tell(map[string]any{"step": name, "tools": tools})
		}
		return err
	}
	if err := step("connected", os.Args[1]); err != nil {
		return err
	}
	tokens.token = &oauth2.Token{RefreshToken: tokens.token.RefreshToken}
	if err := step("refreshed", os.Args[1]); err != nil {
		return err
	}
	// The tokens of the first endpoint, at another one.
	if handler, err = handlerOf(tokens); err != nil {
		return err
	}
	return step("elsewhere", os.Args[2])
}

func main() {
	if err := run(); err != nil {
		tell(map[string]any{"step": "refused", "message": err.Error()})
	}
}
