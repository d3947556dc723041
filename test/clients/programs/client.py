"""The official SDK of Python. Arguments: an endpoint, another one, and where the person sits."""

import asyncio
import json
import sys
import time
import urllib.parse

import httpx2
from mcp.client.auth.oauth2 import OAuthClientProvider
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

_, endpoint, other, desk = sys.argv
asked = 0
sent_to = ""


class Storage:
    tokens = None
    client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client_info):
        self.client = client_info


storage = Storage()
metadata = OAuthClientMetadata(client_name="Agent", redirect_uris=["http://127.0.0.1:4711/callback"])


async def remember(url):
    global sent_to
    sent_to = url


async def ask_person():
    global asked
    asked += 1
    async with httpx2.AsyncClient(timeout=60) as http:
        answer = await http.get(f"{desk}?{urllib.parse.urlencode({'url': sent_to})}")
    answer.raise_for_status()
    found = answer.json()
    return AuthorizationCodeResult(code=found.get("code", ""), state=found.get("state"), iss=found.get("iss"))


def provider_of(url):
    return OAuthClientProvider(url, metadata, storage, redirect_handler=remember, callback_handler=ask_person)


async def list_tools(url, auth):
    async with httpx2.AsyncClient(auth=auth, timeout=60) as http:
        async with Client(streamable_http_client(url, http_client=http)) as client:
            return len((await client.list_tools()).tools)


def tell(**line):
    print(json.dumps({**line, "asked": asked}), flush=True)


def innermost(error):
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


async def main():
    try:
        auth = provider_of(endpoint)
        tell(step="connected", tools=await list_tools(endpoint, auth))
        auth.context.current_tokens.access_token = "spoiled"
        auth.context.token_expiry_time = time.time() - 60
        tell(step="refreshed", tools=await list_tools(endpoint, auth))
        tell(step="elsewhere", tools=await list_tools(other, provider_of(other)))
    except BaseException as error:
        tell(step="refused", message=repr(innermost(error)))


asyncio.run(main())
